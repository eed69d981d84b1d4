import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getHeapSpaceStatistics } from 'node:v8'
import { manualClock } from '@millhand/process'
import { releaseMemory, releaseWhenIdle } from './idle-memory.ts'

test('memory is released once soon after the start, and again a minute after requests', async () => {
  const clock = manualClock()
  const stop = new AbortController()
  let isBusy = false
  let releases = 0
  const release = () => {
    releases += 1
  }
  const running = releaseWhenIdle({ hasRequestWithin: () => isBusy, clock, release }, stop.signal)
  await clock.advance(2_000)
  assert.equal(releases, 0)
  await clock.advance(200_000)
  assert.equal(releases, 1)
  isBusy = true
  await clock.advance(200_000)
  assert.equal(releases, 1)
  isBusy = false
  await clock.advance(58_000)
  assert.equal(releases, 1)
  await clock.advance(200_000)
  assert.equal(releases, 2)
  stop.abort()
  await running
})

test('a release shrinks the space of young objects, and leaves no way to collect garbage behind', () => {
  const young = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0
  const kept: object[] = []
  for (let n = 0; young() < 8e6 && n < 1e7; n++) {
    kept.push({ n })
    if (kept.length > 200_000) kept.length = 0
  }
  const before = young()
  assert.ok(before >= 8e6)
  releaseMemory()
  assert.ok(young() < before / 2, `${before} became ${young()}`)
  assert.equal('gc' in globalThis, false)
})
