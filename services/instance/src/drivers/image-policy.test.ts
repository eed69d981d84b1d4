import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fault } from './driver.contract.ts'
import { checkImage, parseImageReference } from './image-policy.ts'

const digest = `sha256:${'0'.repeat(64)}`

describe('image references', () => {
  const table: [string, string | undefined][] = [
    ['nginx', 'docker.io library/nginx :latest'],
    ['nginx:1.2', 'docker.io library/nginx :1.2'],
    ['acme/server', 'docker.io acme/server :latest'],
    ['ghcr.io/acme/server:v1', 'ghcr.io acme/server :v1'],
    ['docker.io/nginx', 'docker.io library/nginx :latest'],
    ['index.docker.io/nginx', 'docker.io library/nginx :latest'],
    ['localhost/x', 'localhost x :latest'],
    ['localhost:5000/a/b:c', 'localhost:5000 a/b :c'],
    ['host:5000/x', 'host:5000 x :latest'],
    [`nginx@${digest}`, `docker.io library/nginx @${digest}`],
    [`ghcr.io/a/b:1@${digest}`, `ghcr.io a/b @${digest}`],
    ['', undefined],
    ['UPPER', undefined],
    ['a//b', undefined],
    ['../x', undefined],
    ['a b', undefined],
    ['x:', undefined],
    ['x@sha256:12', undefined],
    ['http://x/y', undefined],
    ['x?tag=1&y', undefined],
    ['a'.repeat(600), undefined],
  ]
  for (const [reference, expected] of table)
    it(`reads ${JSON.stringify(reference.slice(0, 50))}`, () => {
      const parsed = parseImageReference(reference)
      assert.equal(parsed && `${parsed.registry} ${parsed.repository} ${parsed.version}`, expected)
    })
})

describe('the operator’s lists', () => {
  it('allow a registry, or a part of one', () => {
    const policy = { registries: ['docker.io', 'ghcr.io/acme'] }
    assert.deepEqual(checkImage('nginx', policy), { isPreloaded: false })
    assert.deepEqual(checkImage('ghcr.io/acme/x', policy), { isPreloaded: false })
    assert.throws(() => checkImage('ghcr.io/acme-corp/x', policy), fault('registry_not_allowed'))
    assert.throws(() => checkImage('docker.io.example.com/x', policy), fault('registry_not_allowed'))
  })

  it('hold for the repository that the engine makes of a short name', () => {
    const policy = { registries: ['docker.io/acme'] }
    assert.deepEqual(checkImage('index.docker.io/acme/x', policy), { isPreloaded: false })
    for (const image of ['acme', 'docker.io/acme', 'index.docker.io/acme'])
      assert.throws(() => checkImage(image, policy), fault('registry_not_allowed'), image)
  })

  it('have to name a registry that is no public one', () => {
    const internal = ['127.0.0.1:5000', '169.254.169.254', '2130706433:80', '0x7f.1', 'localhost', 'localhost:5000']
    const named = ['registry:5000', 'compute.internal:8081', 'a.localhost', 'printer.local']
    for (const registry of [...internal, ...named]) {
      assert.throws(() => checkImage(`${registry}/x`, {}), fault('registry_not_allowed'), registry)
      assert.deepEqual(checkImage(`${registry}/x`, { registries: [registry] }), { isPreloaded: false }, registry)
    }
    for (const image of ['nginx', 'acme/x', 'ghcr.io/acme/x', 'registry.example.com:5000/x'])
      assert.deepEqual(checkImage(image, {}), { isPreloaded: false }, image)
  })

  it('name what is on the hosts', () => {
    assert.deepEqual(checkImage('own', { registries: [], preloaded: ['own'] }), { isPreloaded: true })
    assert.throws(() => checkImage('own:2', { registries: [], preloaded: ['own'] }), fault('registry_not_allowed'))
  })
})
