import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { PacedJobs } from './paced-jobs.ts'

test('jobs that come at once are done in their order, and others have a turn in between', async () => {
  const jobs = new PacedJobs()
  const done: number[] = []
  for (let n = 0; n < 5_000; n++) jobs.add(() => done.push(n))
  assert.deepEqual(done, [])
  let rounds = 0
  while (done.length < 5_000) {
    const before = done.length
    await turn()
    rounds++
    assert.ok(done.length - before <= 32, `${done.length - before} in one turn`)
  }
  assert.ok(rounds > 100, `${rounds} turns`)
  assert.deepEqual(done, [...done.keys()])
})

test('a job that adds another is followed by it', async () => {
  const jobs = new PacedJobs()
  const { promise, resolve } = Promise.withResolvers<void>()
  jobs.add(() => jobs.add(resolve))
  await promise
})
