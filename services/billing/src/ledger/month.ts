/** Months of UTC: what invoices are for. */
import { formatMs, type Span } from '@millhand/api'

/** `2026-11`. Months compare as strings. */
export type Month = string

export const monthOf = (ms: number): Month => formatMs(ms).slice(0, 7)

export function spanOf(month: Month): Span {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return { start: Date.UTC(year, number - 1), end: Date.UTC(year, number) }
}

export const monthAfter = (month: Month): Month => monthOf(spanOf(month).end)

export const monthBefore = (month: Month): Month => monthOf(spanOf(month).start - 1)

/** `2026-11-21`. */
export const dayOf = (ms: number): string => formatMs(ms).slice(0, 10)
