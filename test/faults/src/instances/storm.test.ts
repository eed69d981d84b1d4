/**
 * What runs is what is desired, and what is metered is what ran, whatever is killed. `TEST_ALL` makes it 200 operations on 20
 * instances with 40 faults.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dockerMissing } from '@millhand/test-servers'
import { chosenSeed } from '../random.ts'
import { type StormSize, storm } from './storm.ts'

const isWhole = process.env.TEST_ALL !== undefined
const size: StormSize = isWhole
  ? { instances: 20, mostReplicas: 2, operations: 200, faults: 40 }
  : { instances: 8, mostReplicas: 2, operations: 50, faults: 12 }

/** Of a machine that runs nothing else: every run has the rest of it. */
const SETTLED_MS = 20_000

test('no replica is lost, doubled, said to run or metered wrongly, whatever is killed', {
  skip: dockerMissing,
  timeout: 1_800_000,
}, async t => {
  const seed = chosenSeed()
  t.diagnostic(`seed ${seed} (MILLHAND_SEED=${seed} replays it)`)
  const { violations, settledMs } = await storm(seed, size, line => t.diagnostic(line))
  assert.deepEqual(violations.slice(0, 20), [], `${violations.length} violations with seed ${seed}`)
  if (isWhole) assert.ok(settledMs <= SETTLED_MS, `${settledMs} ms until desired was observed`)
})
