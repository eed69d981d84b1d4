import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ManualClock, manualClock } from '@millhand/process'
import { TenantTurns } from './tenant-turns.ts'

const { signal } = new AbortController()

/** Turns, two at once, and what has begun; `end` ends the turn that is named. */
function open(clock: ManualClock = manualClock()) {
  const turns = new TenantTurns(2, clock)
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const ask = (tenant: string, name: string, until = signal) =>
    turns.run(tenant, until, async () => {
      begun.push(name)
      await new Promise<void>(resolve => ends.set(name, resolve))
    })
  const end = async (name: string) => {
    ends.get(name)?.()
    await new Promise(setImmediate)
  }
  return { clock, begun, ask, end }
}

test('so many turns are taken at once, and of a tenant one', async () => {
  const { begun, ask, end } = open()
  const all = [ask('a', 'a1'), ask('a', 'a2'), ask('b', 'b1'), ask('c', 'c1')]
  await end('')
  assert.deepEqual(begun, ['a1', 'b1'])
  for (const name of ['b1', 'a1', 'c1', 'a2']) await end(name)
  await Promise.all(all)
  assert.deepEqual(begun, ['a1', 'b1', 'c1', 'a2'])
})

test('those whose turns took long wait behind those who have had none', async () => {
  const { clock, begun, ask, end } = open()
  const all = ['a1', 'b1', 'a2', 'b2', 'c1', 'd1', 'c2'].map(name => ask(name.charAt(0), name))
  await end('')
  await clock.advance(20_000)
  await end('a1')
  await clock.advance(1)
  await end('b1')
  assert.deepEqual(begun, ['a1', 'b1', 'c1', 'd1'])
  await clock.advance(100)
  await end('d1')
  await end('c1')
  assert.deepEqual(begun.slice(4), ['a2', 'c2'], 'c is running when d ends')
  for (const name of ['a2', 'c2', 'b2']) await end(name)
  await Promise.all(all)
})

test('what turns took is forgotten in time', async () => {
  const { clock, begun, ask, end } = open()
  const first = ask('a', 'a1')
  await end('')
  await clock.advance(20_000)
  await end('a1')
  await first
  await clock.advance(3_600_000)
  const held = [ask('x', 'x1'), ask('y', 'y1')]
  const all = [ask('a', 'a2'), ask('b', 'b1')]
  await end('')
  await end('x1')
  assert.deepEqual(begun.slice(1), ['x1', 'y1', 'a2'])
  for (const name of ['y1', 'a2', 'b1']) await end(name)
  await Promise.all([...held, ...all])
})

test('who does not wait any more takes no turn', async () => {
  const { begun, ask, end } = open()
  const leaving = new AbortController()
  const held = [ask('a', 'a1'), ask('b', 'b1')]
  const left = assert.rejects(ask('c', 'c1', leaving.signal), /has left/)
  leaving.abort(new Error('it has left'))
  await left
  await assert.rejects(ask('d', 'd1', leaving.signal), /has left/)
  for (const name of ['a1', 'b1']) await end(name)
  await Promise.all(held)
  assert.deepEqual(begun, ['a1', 'b1'])
})
