import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '@millhand/process'
import { dependencyHealth } from './dependency-health.ts'

test('a service is told of as away once calls no longer wait for it, and as there at once', async () => {
  const { clock, replica, peer, told } = open()
  assert.equal(told(), false)
  replica.ready = true
  peer.onEvent('connected')
  assert.equal(told(), true)
  replica.ready = false
  peer.onEvent('draining')
  await clock.advance(3_000)
  peer.onEvent('lost')
  await clock.advance(1_999)
  assert.equal(told(), true)
  await clock.advance(1)
  assert.equal(told(), false)
})

test('a restart that ends while calls wait is not told', async () => {
  const { clock, replica, peer, told } = open()
  replica.ready = true
  peer.onEvent('connected')
  replica.ready = false
  peer.onEvent('lost')
  await clock.advance(4_999)
  replica.ready = true
  peer.onEvent('connected')
  replica.ready = false
  peer.onEvent('lost')
  await clock.advance(4_999)
  assert.equal(told(), true)
})

test('replicas that say that they lack something are told of at once', () => {
  const { replica, peer, told } = open()
  replica.ready = true
  peer.onEvent('connected')
  replica.ready = false
  peer.onEvent('unready')
  assert.equal(told(), false)
})

function open() {
  const clock = manualClock()
  const replica = { ready: false }
  let last: boolean | undefined
  const peer = dependencyHealth({
    ready: () => replica.ready,
    tell: ready => {
      last = ready
    },
    clock,
  })
  return { clock, replica, peer, told: () => last }
}
