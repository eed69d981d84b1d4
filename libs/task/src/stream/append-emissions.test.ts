import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type FencingToken, isRefusal } from '@millhand/lease'
import type { Errand } from '../errand.fixture.ts'
import { claim, taskAfter } from '../task-history.fixture.ts'
import { appendEmissions } from './append-emissions.ts'
import type { Batch } from './emission.ts'

const running = taskAfter(claim)
const maxBytes = 64 * 1024 * 1024

/** A task whose run has emitted so much. */
const after = (count: number, bytes = count): Errand => ({
  ...running,
  history: running.history.map((entry, n) => (n === 1 ? { ...entry, emitted: count } : entry)),
  emitted_bytes: bytes,
})

/** What a run has emitted, what it emits next, and what comes of that. */
const table: readonly [name: string, task: Errand, batch: Partial<Batch>, to: string, by?: FencingToken][] = [
  ['the first is taken', running, {}, 'taken'],
  ['the next is taken', after(7), { from: 7 }, 'taken'],
  ['what came already counts once', after(7), { from: 4, count: 3 }, 'counted'],
  ['nothing is left out', after(7), { from: 8 }, 'not_next'],
  ['nothing else comes in the place of what came', after(7), { from: 4, count: 4 }, 'not_next'],
  ['a stale lease adds nothing', running, {}, 'stale_lease', { lease_id: 'lease_0', attempt: 1 }],
  ['a stale attempt adds nothing', running, {}, 'stale_lease', { ...running, attempt: 3 }],
  ['nothing comes once it is to stop', taskAfter(claim, { kind: 'cancel' }), {}, 'stale_lease'],
  ['nothing comes without a run', taskAfter(), {}, 'stale_lease'],
  ['the last byte is taken', after(7, maxBytes - 1), { from: 7 }, 'taken'],
  ['a byte more is not', after(7, maxBytes), { from: 7 }, 'full'],
  ['the last thing is taken', after(999_999), { from: 999_999 }, 'taken'],
  ['one more is not', after(1_000_000), { from: 1_000_000 }, 'full'],
]

describe('of what a run emits', () => {
  for (const [name, task, batch, to, by = task] of table) {
    it(name, () => {
      const result = appendEmissions(task, by, { from: 0, count: 1, bytes: 1, ...batch })
      assert.equal(isRefusal(result) ? result.refused : 'taken', to)
    })
  }
})
