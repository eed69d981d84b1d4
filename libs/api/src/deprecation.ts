import { type DescMethod, getOption, hasOption } from '@bufbuild/protobuf'
import { deprecation } from './gen/millhand/type/v1/access_pb.ts'

/** What is said with every answer of a method that is going to end. */
export interface Deprecated {
  /** Since when, in seconds since 1970. */
  readonly sinceS: number
  /** Until when it is answered, in milliseconds since 1970. */
  readonly sunset: number
  /** Where it says what to use instead. */
  readonly link: string
}

/**
 * Undefined for a method that stays. Throws where it does not say since when, until when and what to use instead, or
 * ends within six months.
 */
export function deprecationOf(desc: DescMethod): Deprecated | undefined {
  if (!hasOption(desc, deprecation)) return undefined
  const { since, sunset, link } = getOption(desc, deprecation)
  const from = dayOf(since)
  const last = dayOf(sunset)
  if (from === undefined || last === undefined) {
    throw new Error(`${desc} is deprecated, and its since and sunset are not both days such as 2026-11-21`)
  }
  if (!/^(\/|https:\/\/)[!-;=?-~]+$/.test(link)) throw new Error(`${desc} is deprecated without a link: ${link}`)
  const notBefore = new Date(from)
  notBefore.setUTCMonth(notBefore.getUTCMonth() + 6)
  if (last < notBefore.getTime()) throw new Error(`${desc} is deprecated on ${since} and ends within six months`)
  return { sinceS: from / 1000, sunset: last + DAY_MS - 1000, link }
}

const DAY_MS = 86_400_000

/** The start of a day in UTC, in milliseconds since 1970; undefined for what is no day of the calendar. */
function dayOf(text: string): number | undefined {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text) ? time : undefined
}
