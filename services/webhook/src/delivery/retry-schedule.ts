/** When a delivery that failed is tried again. Contract, section 9. */

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

const waits = [
  5 * second,
  30 * second,
  2 * minute,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
]

/**
 * The wait after a number of tries (from 1), in milliseconds, ±10 %, so that what failed together does not come back
 * together; undefined when there are to be no more. `random` is from 0 up to 1.
 */
export function waitAfter(tries: number, random: number): number | undefined {
  const wait = waits[tries - 1]
  return wait === undefined ? undefined : Math.round(wait * (0.9 + 0.2 * random))
}

/** For how long we wait because an endpoint asks us to. */
const maxAskedMs = 24 * hour

/**
 * What `Retry-After` asks for, in milliseconds from `now`: seconds or a date, at most a day. Undefined for what is
 * neither. RFC 9110, sections 10.2.3 and 5.6.7.
 */
export function retryAfterMs(value: string, now: number): number | undefined {
  const text = value.trim()
  const ms = /^\d{1,20}$/.test(text) ? Number(text) * second : dateOf(text) - now
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), maxAskedMs)
}

/** The three forms that a recipient must know; milliseconds since 1970. */
function dateOf(text: string): number {
  const isDate =
    /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text) ||
    /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/.test(text)
  if (isDate) return Date.parse(text)
  return /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/.test(text)
    ? Date.parse(`${text} GMT`)
    : Number.NaN
}
