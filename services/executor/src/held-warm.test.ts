import assert from 'node:assert/strict'
import { test } from 'node:test'
import { heldOwnWarm, heldWarm } from './held-warm.ts'

const warm = {
  isRunning: false,
  run: async () => ({ items: [], computeMs: 1 }),
  kill: async () => {},
  release: () => {},
}

/** Counts what is held. */
function given() {
  const counts = { holds: 0, held: 0 }
  const hold = async () => {
    counts.holds++
    counts.held++
    return () => void counts.held--
  }
  return { counts, hold }
}
const run = (one: typeof warm) => one.run()
const turn = () => new Promise<void>(resolve => setImmediate(resolve))

test('a shared process has what it needs while it runs', async () => {
  const { counts, hold } = given()
  const held = heldWarm(warm, hold)
  for (let n = 0; n < 3; n++) await run(held as typeof warm)
  assert.deepEqual(counts, { holds: 3, held: 0 })
})

test('a process of its own has it once, from its first run until it is released', async () => {
  const { counts, hold } = given()
  const held = heldOwnWarm(warm, hold)
  for (let n = 0; n < 3; n++) await run(held as typeof warm)
  assert.deepEqual(counts, { holds: 1, held: 1 })
  held.release()
  await turn()
  assert.equal(counts.held, 0)
})
