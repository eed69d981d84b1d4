import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createHealth } from './health.ts'

it('a process is ready when all of its parts are', () => {
  const health = createHealth()
  assert.deepEqual(health.ready(), { ready: false, checks: {} })
  health.set('store', false, 'opening')
  health.set('http', true)
  assert.deepEqual(health.ready(), {
    ready: false,
    checks: { store: { ready: false, reason: 'opening' }, http: { ready: true } },
  })
  health.set('store', true)
  assert.deepEqual(health.ready(), { ready: true, checks: { store: { ready: true }, http: { ready: true } } })
})
