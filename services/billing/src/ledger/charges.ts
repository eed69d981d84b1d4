/** What an ended task is charged: the lines to which its entry adds. */
import { runMicros } from '@millhand/api'
import type { Prices } from '@millhand/plans'
import type { Draft } from '@millhand/store'
import type { EntryRecord } from '../usage/usage-entry.ts'
import { keyText, type LineKey, type LineSum } from './line.ts'
import { dayOf, type Month, monthOf } from './month.ts'

/** What is metered, each kind by events of its own. */
export type UsageFamily = 'compute' | 'workforce' | 'instances'

/** What is charged by itself; the entry of a task keeps it beside what the task used. */
export interface Charged {
  /** Nano-dollars for a second. */
  readonly unit_nanos: number
  /** What language models cost of `cost_micros`. */
  readonly token_micros: number
  /** What it would have cost; in live mode what it did cost. */
  readonly would_micros: number
}

/** A function of the entry and the prices of its time alone. */
export function chargedOf(family: UsageFamily, entry: Draft<EntryRecord>, prices: Prices): Charged {
  const { compute_ms, cost_micros, tenant } = entry
  const unit_nanos = secondNanos(family, entry, prices)
  const run = runMicros(compute_ms, unit_nanos)
  const token_micros = family !== 'workforce' ? 0 : Math.max(0, cost_micros - run)
  return { unit_nanos, token_micros, would_micros: tenant.endsWith('/test') ? run : cost_micros }
}

function secondNanos(family: UsageFamily, entry: Draft<EntryRecord>, prices: Prices): number {
  const { gpu_type, model, finished_at, instance, unit_nanos = 0 } = entry
  switch (family) {
    case 'compute':
      return instance === undefined ? prices.computeSecond(gpu_type, model, finished_at) : 0
    case 'workforce':
      return prices.workforceSecond(finished_at)
    case 'instances':
      return unit_nanos // Their events say it.
  }
}

type ChargedEntry = Draft<EntryRecord> & Charged

/** An entry as it is stored: without `token_micros` of 0 and `would_micros` equal to `cost_micros`. */
export function storedEntry({ token_micros, would_micros, ...entry }: ChargedEntry): Draft<EntryRecord> {
  return {
    ...entry,
    ...(token_micros !== 0 && { token_micros }),
    ...(would_micros !== entry.cost_micros && { would_micros }),
  }
}

/** What a stored entry was charged. */
export function chargeOfStored(entry: Draft<EntryRecord>): Charged {
  const { unit_nanos = 0, token_micros = 0, would_micros = entry.cost_micros } = entry
  return { unit_nanos, token_micros, would_micros }
}

/** The lines to which an entry adds that is billed in a month, that of its run first: later than its own, it is an adjustment. */
export function chargesOf(family: UsageFamily, entry: ChargedEntry, month: Month): [LineSum, ...LineSum[]] {
  const { compute_ms, input_tokens, output_tokens, cost_micros, token_micros, would_micros } = entry
  const run = { quantity: compute_ms, micros: cost_micros - token_micros, would_micros: would_micros - token_micros }
  const key = keyOf(family, entry, month)
  if (token_micros === 0 && (family !== 'workforce' || input_tokens + output_tokens === 0)) return [{ ...key, ...run }]
  const tokens = { quantity: input_tokens + output_tokens, micros: token_micros, would_micros: token_micros }
  return [
    { ...key, ...run },
    { ...tokensOf(key), ...tokens },
  ]
}

/** Under which the entries of a line are found: those of a line of tokens are those of its tasks. */
export const entryLine = (month: Month, key: LineKey): string => `${month}/${keyText(tasksOf(key))}`

export function keyOf(
  family: UsageFamily,
  { gpu_type, model, finished_at, unit_nanos }: Pick<ChargedEntry, 'gpu_type' | 'model' | 'finished_at' | 'unit_nanos'>,
  month: Month,
): LineKey {
  const about = aboutOf(family, gpu_type, model)
  const { kind } = about
  const line = { ...about, unit_nanos }
  if (monthOf(finished_at) >= month) return line
  return { ...line, kind: 'adjustment', of: kind, of_time: dayOf(finished_at) }
}

function aboutOf(family: UsageFamily, gpu_type: string, model: string): LineKey {
  switch (family) {
    case 'compute':
      return { family, kind: 'compute', gpu_type, model: isOwn(model) ? OWN_MODELS : model }
    case 'workforce':
      return { family, kind: 'tasks', employee: model.split('/')[0] ?? '' }
    case 'instances':
      return { family: 'compute', kind: 'instances', gpu_type }
  }
}

/** Whose entries those of a line are. */
export function usageOf(key: LineKey): UsageFamily {
  if ((key.of ?? key.kind) === 'instances') return 'instances'
  return key.family === 'workforce' ? 'workforce' : 'compute'
}

/** An account may have any number of models of its own; a bill has one line for them. */
export const OWN_MODELS = 'own'
const isOwn = (model: string) => /^(model|file)_/.test(model)

const tokensOf = (key: LineKey): LineKey =>
  key.kind === 'adjustment' ? { ...key, of: 'tokens' } : { ...key, kind: 'tokens' }

function tasksOf(key: LineKey): LineKey {
  if (key.kind === 'tokens') return { ...key, kind: 'tasks' }
  return key.of === 'tokens' ? { ...key, of: 'tasks' } : key
}
