import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { problemIn } from './problem.ts'
import { start } from './start.ts'

test('/openapi.json is the golden file, byte for byte, and conditional', async t => {
  const { url } = await start(t)
  const response = await fetch(`${url}/openapi.json`, { headers: { origin: 'https://page.test' } })
  assert.equal(response.headers.get('content-type'), 'application/json')
  assert.equal(response.headers.get('access-control-allow-origin'), '*')
  const golden = readFileSync(new URL('../openapi.golden.json', import.meta.url))
  assert.ok(golden.equals(Buffer.from(await response.arrayBuffer())))
  const again = await fetch(`${url}/openapi.json`, {
    headers: { 'if-none-match': response.headers.get('etag') ?? '' },
  })
  assert.equal(again.status, 304)
})

test('/docs and what it loads come from here alone', async t => {
  const { url } = await start(t)
  const response = await fetch(`${url}/docs`)
  const policy = response.headers.get('content-security-policy') ?? ''
  assert.match(policy, /^default-src 'none'; /)
  for (const source of policy.split(/[; ]+/)) {
    assert.match(source, /^([a-z]+-[a-z]+(-[a-z]+)?|'none'|'self'|'unsafe-inline'|data:)$/, 'a source from elsewhere')
  }
  assert.doesNotMatch(/script-src [^;]*/.exec(policy)?.[0] ?? '', /unsafe/)

  const html = await response.text()
  const references = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(match => match[1] as string)
  assert.ok(references.length >= 4)
  for (const reference of references) {
    assert.match(reference, /^\/docs\/[\w.-]+$/)
    const loaded = await fetch(url + reference)
    assert.equal(loaded.status, 200, reference)
    const text = await loaded.text()
    if (reference.endsWith('start.js')) {
      assert.doesNotMatch(text, /\/\//, 'an address of elsewhere')
      assert.match(text, /validatorUrl: null/)
    }
    if (reference.endsWith('.css')) assert.equal(/url\((?!["']?data:).{40}|@import.{40}/.exec(text)?.[0], undefined)
  }
  assert.doesNotMatch(html, /\/\/|<style|style=|onload/)
})

test('the packages that /docs shows keep nothing but what it needs', async t => {
  const { url } = await start(t)
  for (const file of ['package.json', 'index.html', 'swagger-ui-bundle.js.map', '../package.json']) {
    await problemIn(await fetch(`${url}/docs/${encodeURIComponent(file)}`), 'unknown_route')
  }
})

test('/healthz says that the process lives, /readyz whether it can serve', async t => {
  const { url, health } = await start(t)
  assert.deepEqual(await (await fetch(`${url}/healthz`)).json(), { status: 'ok' })
  assert.deepEqual(await (await fetch(`${url}/readyz`)).json(), { status: 'ready' })
  health.set('store', false, 'the disk is full')
  const response = await fetch(`${url}/readyz`)
  assert.match((await problemIn(response, 'unavailable')).detail, /store \(the disk is full\)/)
  assert.ok(response.headers.get('retry-after'))
  assert.equal((await fetch(`${url}/healthz`)).status, 200)
})

test('/ says where to go', async t => {
  const { url } = await start(t)
  const paths = (await (await fetch(url)).json()) as Record<string, string>
  for (const path of [paths.docs, paths.openapi, paths.health]) assert.equal((await fetch(url + path)).status, 200)
})

test('every answer keeps its address from other sites and its window from other pages', async t => {
  const { url, call, post } = await start(t)
  for (const answer of [
    await fetch(`${url}/docs`),
    await fetch(`${url}/status`),
    await fetch(`${url}/healthz`),
    await fetch(`${url}/nothing`),
    await call('/v1/tasks'),
    await post('{'),
  ]) {
    assert.equal(answer.headers.get('referrer-policy'), 'no-referrer', answer.url)
    assert.equal(answer.headers.get('cross-origin-opener-policy'), 'same-origin', answer.url)
    assert.equal(answer.headers.get('strict-transport-security'), null, 'it is not served under TLS')
  }
})
