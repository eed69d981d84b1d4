import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeOf, retryAfterOf } from '@millhand/api'
import { manualClock } from '@millhand/process'
import type { Principal } from '@millhand/rpc'
import { OpenStreams } from './open-streams.ts'
import { PacedJobs } from './paced-jobs.ts'

const caller = (tenant: string) => ({ tenant }) as Principal

test('streams of all accounts together are capped, so that other calls have room, and their places given back', () => {
  const open = new OpenStreams(manualClock(), new PacedJobs(), 2, 3)
  const places = ['a', 'a', 'b'].map(tenant => open.acquire(caller(tenant)))
  const refused = (error: unknown) => codeOf(error) === 'concurrency_limited' && retryAfterOf(error) === 5
  for (const tenant of ['a', 'b', 'c']) assert.throws(() => open.acquire(caller(tenant)), refused)
  places[0]?.[Symbol.dispose]()
  using _ = open.acquire(caller('c'))
  for (const tenant of ['a', 'b', 'c']) assert.throws(() => open.acquire(caller(tenant)), refused)
})

test('they are 20,000 at most, whatever an account may have', () => {
  const open = new OpenStreams(manualClock(), new PacedJobs(), 1_000_000)
  for (let n = 0; n < 20_000; n++) open.acquire(caller('a'))
  assert.throws(() => open.acquire(caller('b')), /as many event streams open as it may/)
})
