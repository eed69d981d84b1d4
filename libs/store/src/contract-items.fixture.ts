/** The collection that the contract's tests write, and their words for it. */
import type { CollectionSpec, Document, Draft, OutboxEvent } from './collection.ts'

export interface Item extends Document {
  readonly name: string
  readonly state: string
  readonly rank: number
  readonly due?: number
  readonly note?: string
}

export const ITEMS = {
  name: 'items',
  indexes: {
    by_rank: { fields: ['tenant', 'rank', 'name'] },
    by_state: { fields: ['state'] },
    due: { fields: ['due', 'id'], when: { field: 'state', in: ["wait'ing", 'ready'] } },
    unique_name: { fields: ['tenant', 'name'], unique: true },
  },
} as const satisfies CollectionSpec

export type ItemIndex = keyof typeof ITEMS.indexes

export const TENANT = 'acct_a/live'

export const item = (id: string, fields: Partial<Draft<Item>> = {}): Draft<Item> => ({
  tenant: TENANT,
  id,
  name: id,
  state: 'idle',
  rank: 1,
  ...fields,
})

export const event = (key: string, id: string): OutboxEvent => ({
  topic: 'items.v1',
  key,
  id,
  type: 'item.changed',
  time: 1_700_000_000_123,
  value: JSON.stringify({ id, text: 'NUL \u0000 and 😀' }),
})

export const written = (version: number) => ({ kind: 'written', version })
export const conflict = (index: string) => ({ kind: 'conflict', index })
