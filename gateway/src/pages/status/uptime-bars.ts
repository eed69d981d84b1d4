import { type Html, html } from '../html.ts'
import { date } from './format.ts'
import type { DayMeasure, Days } from './uptime.ts'

export interface BarOptions {
  /** All of them in words, for whoever can't see them. */
  readonly label: string
  /** From which share on a day is good. */
  readonly goal: number
  /** What is said of a day of which something is known. */
  words(day: DayMeasure): string
}

/** A bar for each day; it is told by its height what it is told by its colour. */
export function bars(days: Days, { label, goal, words }: BarOptions): Html {
  const drawn = days.map((day, at) => {
    const kind = kindOf(day, goal)
    const height = heights[kind]
    const title = `${date(day.day)}: ${day.total === 0 ? 'nothing recorded' : words(day)}`
    // The first rectangle is what can be pointed at: the whole height.
    return html`<g><title>${title}</title><rect class="touch" x="${at * STEP}" width="${STEP}" height="${HEIGHT}"/><rect class="${kind}" x="${
      at * STEP
    }" y="${HEIGHT - height}" width="${STEP - GAP}" height="${height}"/></g>`
  })
  const width = days.length * STEP - GAP
  return html`<svg class="bars" viewBox="0 0 ${width} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}">${drawn}</svg>`
}

const STEP = 10
const GAP = 3
const HEIGHT = 36

const heights = { good: HEIGHT, fair: 24, bad: 14, none: 4 } as const

/** A tenth missing is bad, whatever the goal. */
function kindOf({ total, missed }: DayMeasure, goal: number): keyof typeof heights {
  if (total === 0) return 'none'
  const share = 1 - missed / total
  return share >= goal ? 'good' : share > 0.9 ? 'fair' : 'bad'
}
