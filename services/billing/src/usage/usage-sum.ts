/** Sums up what tasks used. */
import type { EntryRecord } from './usage-entry.ts'

/** Integers all: below 2^53 they add up exactly, in any order. */
export interface Sum {
  readonly succeeded: number
  readonly failed: number
  readonly cancelled: number
  readonly expired: number
  readonly compute_ms: number
  readonly input_tokens: number
  readonly output_tokens: number
  readonly items: number
  readonly cost_micros: number
}

/** The sum of the tasks of one model, type and GPU type. */
export interface Line extends Sum {
  readonly model: string
  readonly type: string
  readonly gpu_type: string
}

export type MutableSum = { -readonly [Field in keyof Sum]: Sum[Field] }

export const nothing = (): MutableSum => ({
  succeeded: 0,
  failed: 0,
  cancelled: 0,
  expired: 0,
  compute_ms: 0,
  input_tokens: 0,
  output_tokens: 0,
  items: 0,
  cost_micros: 0,
})

export function addSum(to: MutableSum, sum: Sum): void {
  to.succeeded += sum.succeeded
  to.failed += sum.failed
  to.cancelled += sum.cancelled
  to.expired += sum.expired
  addUsed(to, sum)
}

export function addEntry(to: MutableSum, entry: Pick<EntryRecord, 'ending' | Used>): void {
  to[entry.ending] += 1
  addUsed(to, entry)
}

type Used = 'compute_ms' | 'input_tokens' | 'output_tokens' | 'items' | 'cost_micros'

function addUsed(to: MutableSum, used: Pick<Sum, Used>): void {
  to.compute_ms += used.compute_ms
  to.input_tokens += used.input_tokens
  to.output_tokens += used.output_tokens
  to.items += used.items
  to.cost_micros += used.cost_micros
}

/** Sums by a key, made of entries and of other sums. */
export class SumsByKey<Key> {
  readonly sums = new Map<Key, MutableSum>()

  at(key: Key): MutableSum {
    let sum = this.sums.get(key)
    if (sum === undefined) {
      sum = nothing()
      this.sums.set(key, sum)
    }
    return sum
  }
}
