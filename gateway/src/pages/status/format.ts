/** Figures and times in words. */
import { type Html, html } from '../html.ts'

/** A share in percent: cut off, so that nothing is called whole that is not. */
export const percent = (share: number): string => `${Math.floor(share * 100_000 + 1e-6) / 1_000} %`

export const count = (items: number): string => items.toLocaleString('en')

/** `2026-11-21` as `21 November 2026`. */
export function date(day: string): string {
  dates ??= new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
  return dates.format(new Date(`${day}T00:00:00Z`))
}

/** A moment of RFC 3339. */
export function moment(time: string): Html {
  moments ??= new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
  return html`<time datetime="${time}">${moments.format(new Date(time))} UTC</time>`
}

/** Seconds, in the two largest units that they have. */
export function duration(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 3_600), 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ].filter(([amount]) => amount !== 0)
  return parts.length === 0
    ? '0 s'
    : parts
        .slice(0, 2)
        .map(part => part.join(' '))
        .join(' ')
}

// The first of a process takes some 10 ms, which is no part of its start.
let dates: Intl.DateTimeFormat | undefined
let moments: Intl.DateTimeFormat | undefined
