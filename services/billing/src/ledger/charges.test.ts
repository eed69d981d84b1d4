import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Draft } from '@millhand/store'
import type { EntryRecord } from '../usage/usage-entry.ts'
import { type Charged, chargeOfStored, storedEntry } from './charges.ts'

const entry: Draft<EntryRecord> = {
  ...{ tenant: 'acct_1/live', id: 'task_1', finished_at: 1, ending: 'succeeded', type: 'inference', model: 'digits' },
  ...{ gpu_type: 'cpu', compute_ms: 1_000, input_tokens: 0, output_tokens: 0, items: 1, cost_micros: 20 },
}
const charges: Record<string, { readonly charged: Charged; readonly stored: readonly string[] }> = {
  'a live task': { charged: { unit_nanos: 20_000, token_micros: 0, would_micros: 20 }, stored: ['unit_nanos'] },
  'a task of the sandbox, which would have cost more than it did': {
    charged: { unit_nanos: 20_000, token_micros: 0, would_micros: 25 },
    stored: ['unit_nanos', 'would_micros'],
  },
  'a task of the sandbox that would have cost nothing': {
    charged: { unit_nanos: 0, token_micros: 0, would_micros: 0 },
    stored: ['unit_nanos', 'would_micros'],
  },
  'a task with tokens': {
    charged: { unit_nanos: 20_000, token_micros: 7, would_micros: 20 },
    stored: ['unit_nanos', 'token_micros'],
  },
}

describe('a stored entry', () => {
  for (const [name, { charged, stored }] of Object.entries(charges))
    it(`has only what does not follow from the rest, and tells the charge: ${name}`, () => {
      const kept = storedEntry({ ...entry, ...charged })
      assert.deepEqual(Object.keys(kept).slice(Object.keys(entry).length).sort(), [...stored].sort())
      assert.deepEqual(chargeOfStored(JSON.parse(JSON.stringify(kept))), charged)
    })

  it('of an earlier version, which has them all, tells what it has', () => {
    const charged = { unit_nanos: 20_000, token_micros: 7, would_micros: 25 }
    assert.deepEqual(chargeOfStored({ ...entry, ...charged }), charged)
  })
})
