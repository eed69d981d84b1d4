/** Fields of events, checked. */

/** Sums of a thousand millions of them are exact. */
const MOST_OF_A_TASK = 1e12

export const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= MOST_OF_A_TASK

export type Json = Readonly<Record<string, unknown>>

export function object(value: unknown): Json {
  if (typeof value !== 'object' || value === null) throw new TypeError('an object is missing')
  return value as Json
}

export function text(value: unknown): string {
  if (typeof value !== 'string' || value === '') throw new TypeError('a text is missing')
  return value
}

export function time(value: unknown): number {
  const ms = Date.parse(text(value))
  if (Number.isNaN(ms)) throw new TypeError('a time is none')
  return ms
}
