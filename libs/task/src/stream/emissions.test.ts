/** What is held of a task's emissions for one who reads slowly. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createEmissions, type EmissionsRecord } from './emissions.ts'
import { collectGarbage } from './garbage-collection.fixture.ts'
import { sequenceOf } from './sequence.ts'

const task = { tenant: 'acct_a/live', id: 'task_a' }

/** How many of 10 batches of that size are held at most while they are read, one after the other. */
async function heldWhileReading(bytes: number): Promise<number> {
  const kept: WeakRef<EmissionsRecord>[] = []
  const placeIn = (id: unknown) => Number(String(id).split('.')[1])
  const emissions = createEmissions({
    get: async () => undefined,
    count: async () => 0,
    write: async () => ({ kind: 'conflict', index: 'primary' }),
    async find(_, { after: [after] = [], before: [before] = [], limit }) {
      const batches: EmissionsRecord[] = []
      for (let first = placeIn(after) + 1; first < placeIn(before) && batches.length < limit; first++) {
        batches.push({
          ...task,
          id: `task_a.${first}`,
          version: 1,
          first,
          at: 0,
          emissions: [{ output: 'x'.repeat(bytes) }],
        })
      }
      kept.push(...batches.map(batch => new WeakRef(batch)))
      return batches
    },
  })
  let told = 0
  let most = 0
  for await (const { first } of emissions.read(task, sequenceOf(1), sequenceOf(1, 10))) {
    told++
    assert.equal(first, sequenceOf(1, told))
    await collectGarbage()
    most = Math.max(most, kept.filter(batch => batch.deref() !== undefined).length)
  }
  assert.equal(told, 10)
  return most
}

it('of small batches eight are held, of large ones 64 KiB, and of a larger one that one', async () => {
  assert.equal(await heldWhileReading(100), 8)
  assert.equal(await heldWhileReading(20 * 1024), 3)
  assert.equal(await heldWhileReading(40 * 1024), 1)
  assert.equal(await heldWhileReading(70 * 1024), 1)
})
