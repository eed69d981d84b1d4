/** The lines of a bill, and the sums that they show. */
import type { Family } from '@millhand/api'

export type LineKind = 'subscription' | 'compute' | 'instances' | 'tasks' | 'tokens' | 'credit' | 'adjustment'

/** What a line is about: charges of one key are one line. */
export interface LineKey {
  readonly family: Family
  readonly kind: LineKind
  /** Of an adjustment: of which kind the line would have been, in time. */
  readonly of?: LineKind
  /** Of an adjustment: the day, or of a subscription the month, in which it happened. Of a credit: its id. */
  readonly of_time?: string
  readonly model?: string
  readonly gpu_type?: string
  readonly employee?: string
  readonly plan?: string
  /** Nano-dollars for a second. */
  readonly unit_nanos?: number
  /** Micro-dollars for a month. */
  readonly unit_micros?: number
}

/** Sums of charges. Integers all: below 2^53 they add up exactly, in any order. */
export interface LineSum extends LineKey {
  /** Milliseconds of runs, tokens, or seconds of a subscription. */
  readonly quantity: number
  readonly micros: number
  /** What it would have cost, in the sandbox. */
  readonly would_micros: number
  /** Why, of a credit. */
  readonly reason?: string
}

const parts = [
  'family',
  'kind',
  'of',
  'of_time',
  'gpu_type',
  'model',
  'employee',
  'plan',
  'unit_nanos',
  'unit_micros',
] as const

/** The key as text; nothing else has the same. */
export const keyText = (key: LineKey): string => parts.map(part => encodeURIComponent(key[part] ?? '')).join('/')

/** The key that a text is of; undefined for any other text. */
export function keyOfText(text: string): LineKey | undefined {
  const values = text.split('/')
  if (values.length !== parts.length) return undefined
  try {
    const key = Object.fromEntries(
      parts.flatMap((part, at) => {
        const value = decodeURIComponent(values[at] as string)
        return value === '' ? [] : [[part, part.startsWith('unit_') ? Number(value) : value]]
      }),
    ) as unknown as LineKey
    return keyText(key) === text ? key : undefined
  } catch {
    return undefined
  }
}

/** The lines with further charges, in the order of their keys. */
export function withCharges(lines: readonly LineSum[], charges: readonly LineSum[]): LineSum[] {
  const sums = new Map(lines.map(line => [keyText(line), line]))
  for (const charge of charges) {
    const key = keyText(charge)
    const sum = sums.get(key)
    sums.set(key, sum ? added(sum, charge) : charge)
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line)
}

const added = (sum: LineSum, { quantity, micros, would_micros }: LineSum): LineSum => ({
  ...sum,
  quantity: safe(sum.quantity + quantity),
  micros: safe(sum.micros + micros),
  would_micros: safe(sum.would_micros + would_micros),
})

export const totalOf = (lines: readonly Pick<LineSum, 'micros'>[]): number =>
  lines.reduce((sum, { micros }) => safe(sum + micros), 0)

/** @throws RangeError before a sum becomes inexact */
function safe(sum: number): number {
  if (!Number.isSafeInteger(sum)) throw new RangeError(`a sum is too large: ${sum}`)
  return sum
}
