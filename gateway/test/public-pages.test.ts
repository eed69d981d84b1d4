import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { problems } from '@millhand/api'
import type { Changelog } from '../src/pages/changelog/changelog-document.ts'
import type { ErrorList } from '../src/pages/errors/error-document.ts'
import { problemIn } from './problem.ts'
import { start } from './start.ts'
import { openWire } from './wire.ts'

test('/changelog is HTML, and JSON where that is asked for; its entries are dated, the newest first', async t => {
  const { url } = await start(t)
  const response = await fetch(`${url}/changelog`, { headers: { accept: 'application/json' } })
  const changelog = (await response.json()) as Changelog
  assert.equal(changelog.object, 'changelog')
  const dates = changelog.entries.map(({ date }) => date)
  assert.deepEqual(dates, [...dates].sort().reverse())
  const ids = changelog.entries.map(({ id }) => id)
  assert.equal(new Set(ids).size, ids.length)
  const html = await (await fetch(`${url}/changelog`)).text()
  for (const { id, date, type, text, ...rest } of changelog.entries) {
    assert.match(date, /^\d{4}-\d{2}-\d{2}$/)
    assert.match(type, /^(added|changed|deprecated|fixed)$/)
    assert.match(text, /^[^<>]+\.$/)
    assert.deepEqual(
      Object.keys(rest).filter(name => name !== 'link'),
      [],
    )
    assert.ok(html.includes(`<li id="${id}">`), id)
  }
})

for (const path of ['/changelog', '/status', '/docs/errors', '/docs/errors/rate_limited']) {
  test(`${path} loads nothing but its icon, lets no other style hold, and is conditional`, async t => {
    const { url } = await start(t)
    const response = await fetch(url + path)
    const html = await response.text()
    const [, style = ''] = /<style>(.*)<\/style>/s.exec(html) ?? []
    const policy = response.headers.get('content-security-policy') ?? ''
    assert.ok(
      policy.startsWith(`default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; img-src 'self'; `),
    )
    for (const [, to = ''] of html.matchAll(/(?:src|href)="([^"]*)"/g)) {
      assert.match(to, /^\/[a-z/._]+$/)
      assert.equal((await fetch(url + to)).status, 200, to)
    }
    const again = await fetch(url + path)
    const tag = again.headers.get('etag') ?? ''
    assert.equal((await fetch(url + path, { headers: { 'if-none-match': tag } })).status, 304)
  })
}

test('/.well-known/api-catalog leads to the descriptions, the reference and the status (RFC 9727)', async t => {
  const { url } = await start(t)
  const response = await fetch(`${url}/.well-known/api-catalog`)
  assert.match(response.headers.get('content-type') ?? '', /^application\/linkset\+json; profile=/)
  const { linkset } = (await response.json()) as { linkset: [Record<string, [{ href: string }]>] }
  assert.deepEqual(Object.keys(linkset[0]), ['anchor', 'service-desc', 'service-doc', 'status'])
  for (const relation of ['service-desc', 'service-doc', 'status']) {
    const href = linkset[0][relation]?.[0].href ?? relation
    assert.equal((await fetch(url + href)).status, 200, href)
  }
  const head = await fetch(`${url}/.well-known/api-catalog`, { method: 'HEAD' })
  assert.equal(head.headers.get('link'), '</.well-known/api-catalog>; rel="api-catalog"')
})

test('/.well-known/security.txt names who is told of a hole, and a date before which that holds (RFC 9116)', async t => {
  const { url, clock } = await start(t, { securityContact: 'mailto:security@millhand.test' })
  const response = await fetch(`${url}/.well-known/security.txt`)
  assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8')
  const [, contact, expires] = /^Contact: (.*)\nExpires: (.*)\n/.exec(await response.text()) ?? []
  assert.equal(contact, 'mailto:security@millhand.test')
  const left = Date.parse(expires ?? '') - clock.now()
  assert.ok(left > 0 && left < 365 * 86_400_000)
})

test('without a contact there is no security.txt, and the answer names the setting', async t => {
  const { url } = await start(t)
  const problem = await problemIn(await fetch(`${url}/.well-known/security.txt`), 'not_found')
  assert.match(problem.detail, /MILLHAND_SECURITY_CONTACT/)
})

test('the type of a problem is the address of a page that says what to do', async t => {
  const { url, call } = await start(t)
  const { type, code } = await problemIn(await call('/v1/tasks/task_unknown'), 'not_found')
  assert.equal(type, `${url}/docs/errors/${code}`)
  const html = await fetch(type)
  assert.equal(html.status, 200)
  assert.match(await html.text(), /<h1>Not found<\/h1>/)
  const json = await (await fetch(type, { headers: { accept: 'application/json' } })).json()
  assert.deepEqual(json, {
    object: 'error',
    code: 'not_found',
    status: 404,
    title: 'Not found',
    action: problems.not_found.action,
    link: '/docs/errors/not_found',
  })
})

test('every error of the catalogue has its page, an unknown one none', async t => {
  const { url } = await start(t)
  const list = await fetch(`${url}/docs/errors`, { headers: { accept: 'application/json' } })
  const { data } = (await list.json()) as ErrorList
  assert.deepEqual(
    data.map(({ code }) => code),
    Object.keys(problems),
  )
  for (const { link } of data) assert.equal((await fetch(url + link)).status, 200, link)
  for (const name of ['nothing', '__proto__', 'toString']) {
    await problemIn(await fetch(`${url}/docs/errors/${name}`), 'not_found')
  }
})

test('links begin with the address that the deployment is told, or with the host that the caller named', async t => {
  const { port } = await start(t)
  const typeBy = async (at: number, host: string) => {
    const wire = await openWire(at)
    wire.send(`GET /nothing HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    const answer = await wire.rest()
    return JSON.parse(answer.slice(answer.indexOf('{'))).type
  }
  assert.equal(await typeBy(port, 'api.millhand.test:81'), 'http://api.millhand.test:81/docs/errors/unknown_route')
  assert.equal(await typeBy(port, '[::1]:81'), 'http://[::1]:81/docs/errors/unknown_route')
  const set = await start(t, { publicUrl: 'https://api.millhand.test' })
  assert.equal(await typeBy(set.port, 'elsewhere.test'), 'https://api.millhand.test/docs/errors/unknown_route')
})
