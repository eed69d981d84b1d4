import type { Timestamp } from '@bufbuild/protobuf/wkt'

/** A time in RFC 3339: UTC, exactly three digits of a second, the rest cut off. */
export function formatTimestamp({ seconds, nanos }: Timestamp): string {
  return formatMs(Number(seconds) * 1000 + Math.floor(nanos / 1_000_000))
}

/** Milliseconds since 1970 in RFC 3339. */
export function formatMs(ms: number): string {
  const day = Math.floor(ms / dayMs)
  const rest = ms - day * dayMs
  const minutes = Math.floor(rest / 60_000)
  const millis = rest - minutes * 60_000
  const seconds = Math.floor(millis / 1000)
  return `${days.get(day) ?? dayText(day)}${two[Math.floor(minutes / 60)]}:${two[minutes % 60]}:${two[seconds]}.${three[millis - seconds * 1000]}Z`
}

/**
 * Seconds and nanoseconds of a text in RFC 3339, with any offset; undefined for anything else, also for days that no
 * calendar has. What is finer than a nanosecond is cut off; a leap second is the second after it; a time outside the
 * range of google.protobuf.Timestamp (years 1 to 9999) is the nearest inside.
 */
export function parseTimestamp(text: string): { seconds: bigint; nanos: number } | undefined {
  const match = text.length <= maxLength ? pattern.exec(text) : null
  if (match === null) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as Six
  const [fraction = '', sign, offsetHour = '0', offsetMinute = '0'] = match.slice(7)
  if (hour > 23 || minute > 59 || second > 60 || Number(offsetHour) > 23 || Number(offsetMinute) > 59) return undefined
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * (sign === '-' ? -60 : 60)
  const seconds = date.getTime() / 1000 + hour * 3600 + minute * 60 + second - offset
  if (seconds < minSeconds) return { seconds: BigInt(minSeconds), nanos: 0 }
  if (seconds > maxSeconds) return { seconds: BigInt(maxSeconds), nanos: 999_999_999 }
  return { seconds: BigInt(seconds), nanos: Number(fraction.slice(0, 9).padEnd(9, '0')) }
}

function dayText(day: number): string {
  const text = new Date(day * dayMs).toISOString().slice(0, -13)
  if (days.size === 1000) days.clear()
  days.set(day, text)
  return text
}

type Six = [number, number, number, number, number, number]

const dayMs = 86_400_000
/** `2026-11-21T` by days since 1970: Date's own formatting takes ten times as long. */
const days = new Map<number, string>()
const two = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'))
const three = Array.from({ length: 1000 }, (_, n) => String(n).padStart(3, '0'))

/** RFC 3339, section 5.6; `T` and `Z` may be in lower case there. */
const pattern = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/
/** No clock writes more; it bounds the work. */
const maxLength = 128
/** The range of google.protobuf.Timestamp. */
const minSeconds = -62_135_596_800
const maxSeconds = 253_402_300_799
