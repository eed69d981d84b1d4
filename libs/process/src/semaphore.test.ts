import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Semaphore } from './semaphore.ts'

test('as much runs at once as may, the rest in its order, whatever fails', async () => {
  const semaphore = new Semaphore(2)
  const begun: number[] = []
  const ends = [0, 1, 2, 3].map(() => Promise.withResolvers<void>())
  const runs = ends.map((end, at) =>
    semaphore.run(async () => {
      begun.push(at)
      await end.promise
    }),
  )
  assert.deepEqual(begun, [0, 1])
  ends[1]?.reject(new Error('it broke'))
  await assert.rejects(runs[1] as Promise<void>, /it broke/)
  assert.deepEqual(begun, [0, 1, 2])
  for (const end of ends) end.resolve()
  await Promise.all([runs[0], runs[2], runs[3]])
  assert.deepEqual(begun, [0, 1, 2, 3])
})
