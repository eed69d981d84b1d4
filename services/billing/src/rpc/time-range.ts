/** The time that usage is asked for: whole hours, of this month until now where nothing else is asked for. */
import { type Timestamp, timestampMs } from '@bufbuild/protobuf/wkt'
import { fail } from '@millhand/api'
import { HOUR_MS, hourOf } from '../usage/usage-hour.ts'

interface TimeRangeRequest {
  readonly start?: Timestamp | undefined
  readonly end?: Timestamp | undefined
}

const MOST_DAYS = 366
const DAY_MS = 86_400_000
/** No timestamp is of the year after. */
const LAST_END = Date.UTC(9999, 11, 31, 23)

export function timeRangeOf(req: TimeRangeRequest, now: number): { readonly start: number; readonly end: number } {
  const today = new Date(now)
  const start = hourOf(msOf(req.start) ?? Date.UTC(today.getUTCFullYear(), today.getUTCMonth()))
  const asked = msOf(req.end) ?? now
  if (asked < (msOf(req.start) ?? start)) {
    throw fail('invalid_parameter', '`end` must not be before `start`.', { param: req.end ? 'end' : 'start' })
  }
  const end = hourOf(asked + HOUR_MS - 1)
  if (end > LAST_END) throw fail('invalid_parameter', '`end` must be at most 9999-12-31T23:00:00Z.', { param: 'end' })
  if (end - start > MOST_DAYS * DAY_MS) {
    const param = req.start ? 'start' : 'end'
    throw fail('invalid_parameter', `\`start\` and \`end\` must be at most ${MOST_DAYS} days apart.`, { param })
  }
  return { start, end }
}

const msOf = (time: Timestamp | undefined): number | undefined => time && timestampMs(time)
