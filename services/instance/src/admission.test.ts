import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { admit, type Waiting } from './admission.ts'

const waiting = (tenant: string, instance: string, replicas: number, gpu = 'cpu'): Waiting => ({
  ...{ tenant, instance, gpu },
  indexes: Array.from({ length: replicas }, (_, index) => index),
})
const share = () => ({ weight: 1, maxReplicas: 100 })
const counts = (admitted: ReturnType<typeof admit>) =>
  Object.fromEntries([...admitted].map(([instance, { indexes, refusal }]) => [instance, [indexes.length, refusal]]))

describe('places', () => {
  it('go to the account that has the fewest', () => {
    const input = { waiting: [waiting('a', 'a1', 64), waiting('b', 'b1', 1)], free: new Map([['cpu', 2]]) }
    assert.deepEqual(counts(admit({ ...input, held: new Map([['a', 3]]), share })), {
      a1: [1, 'no_capacity'],
      b1: [1, undefined],
    })
  })

  it('go by the weight of plans', () => {
    const weighted = (tenant: string) => ({ weight: tenant === 'a' ? 3 : 1, maxReplicas: 100 })
    const input = { waiting: [waiting('a', 'a1', 64), waiting('b', 'b1', 64)], free: new Map([['cpu', 8]]) }
    assert.deepEqual(counts(admit({ ...input, held: new Map(), share: weighted })), {
      a1: [6, 'no_capacity'],
      b1: [2, 'no_capacity'],
    })
  })

  it('go to an account up to its limit', () => {
    const limited = () => ({ weight: 1, maxReplicas: 2 })
    const input = { waiting: [waiting('a', 'a1', 3), waiting('a', 'a2', 1)], free: new Map([['cpu', 8]]) }
    assert.deepEqual(counts(admit({ ...input, held: new Map(), share: limited })), {
      a1: [2, 'replica_limit'],
      a2: [0, 'replica_limit'],
    })
  })

  it('of one type are not waited for by who needs another', () => {
    const free = new Map([['cpu', 1]])
    const input = { waiting: [waiting('a', 'a1', 1, 'gpu'), waiting('a', 'a2', 1)], free }
    assert.deepEqual(counts(admit({ ...input, held: new Map(), share })), {
      a1: [0, 'no_capacity'],
      a2: [1, undefined],
    })
  })

  it('are first in the answer where they go first, and before those that get none', () => {
    const input = {
      waiting: [
        waiting('a', 'none', 1, 'gpu'),
        ...['a1', 'a2', 'a3'].map(id => waiting('a', id, 1)),
        waiting('b', 'b1', 1),
      ],
      free: new Map([['cpu', 9]]),
    }
    assert.deepEqual([...admit({ ...input, held: new Map(), share }).keys()], ['a1', 'b1', 'a2', 'a3', 'none'])
  })
})
