/** Dates that lie so many working days after others, or before: Monday to Friday. Holidays are not known. */

import { word, wordValue } from './number-words.ts'

/** More are no deadline that anybody counts. */
const MOST = 260
const DAY = 86_400_000

/** How many there are in “within five working days” and the like. */
export const workdaysIn = (text: string): number[] =>
  [...text.matchAll(spoken)].map(([, said = '']) => (/^\d/.test(said) ? Number(said) : wordValue(said)))

const spoken = new RegExp(
  String.raw`(?<![\p{L}\p{N}.,-])(\d{1,3}|${word})[ -](?:working|business|work)[ -]days?(?!\p{L})`,
  'giu',
)

/** Of a date whose day of the week is not known, each that it may be. `time` is a midnight of UTC. */
export function workdaysFrom(time: number, count: number, hasWeekday: boolean): number[] {
  if (!Number.isInteger(count) || count < 1 || count > MOST) return []
  const whole = count + 2 * Math.floor(count / 5)
  const spans = count % 5 === 0 ? [whole] : [whole, whole + 2]
  return [1, -1].flatMap(sign =>
    hasWeekday ? [stepped(time, sign * count)] : spans.map(span => time + sign * span * DAY),
  )
}

/** The day of the week, 0 for Sunday, so many working days after another. */
export const weekdayAfter = (weekday: number, count: number): number =>
  Number.isInteger(count) && count >= 1 && count <= MOST
    ? new Date(stepped((weekday - THURSDAY) * DAY, count)).getUTCDay()
    : weekday

/** 1970 began on one. */
const THURSDAY = 4

function stepped(time: number, count: number): number {
  const step = Math.sign(count) * DAY
  let at = time
  for (let left = Math.abs(count); left > 0; ) {
    at += step
    if (new Date(at).getUTCDay() % 6 !== 0) left--
  }
  return at
}
