/** The series of a brief, whole: at equal steps, with what was missing filled. */
import { type Brief, Refusal } from '../../../src/brief.ts'
import { oneLine, shown } from '../../table/foreign-text.ts'
import type { RawTable } from '../../table/raw-table.ts'
import type { ForecastInput } from '../input.ts'
import { onCalendar, type Placed } from './calendar.ts'
import { endingSaid } from './ending.ts'
import { frequencyNamed, nameOfMoment } from './frequency.ts'
import { filled, MOST_MISSING } from './gaps.ts'
import { periodOf } from './period.ts'
import type { RawSeries } from './raw-series.ts'
import { readSources } from './sources.ts'

export interface Series {
  readonly name: string
  readonly values: Float64Array
  /** After how many steps the seasons come round, the shortest first; of each there are more than two in the values. */
  readonly periods: readonly number[]
  readonly frequency?: string
  /** The name of a step, 0 for that of the first value; undefined where no times were given. */
  timeOf(step: number): string | undefined
  /** How many of the values were not given. */
  readonly filled: number
  readonly warnings: readonly string[]
}

const MOST_SERIES = 20
const FEWEST_VALUES = 8
const MOST_VALUES = 200_000
/** What the greatest value may be: outside, sums of squares and the ticks of a chart lose what matters. */
const [LEAST, GREATEST] = [1e-12, 1e15]

/** `table` is that of the file. Throws a `Refusal` for what no honest forecast can be made of. */
export function readSeries(brief: Brief<ForecastInput>, table?: RawTable): readonly Series[] {
  const sources = readSources(brief, table)
  if (sources.length > MOST_SERIES)
    throw new Refusal(
      'input',
      `There are ${sources.length} series; at most ${MOST_SERIES} are forecast at once. Choose with \`value_columns\`, or ask several times.`,
    )
  const names = new Set<string>()
  return sources.map((source, i) => {
    const plain = [...oneLine(source.name)].slice(0, 80).join('') || `series ${i + 1}`
    let name = plain
    for (let other = i + 1; names.has(name); other++) name = `${plain} (${other})`
    names.add(name)
    return wholeOf({ ...source, name }, brief.input)
  })
}

function wholeOf(source: RawSeries, input: ForecastInput): Series {
  const { name, values, timestamps } = source
  refuseWild(source)
  const placed = timestamps ? onCalendar({ ...source, timestamps }, input.frequency) : inOrder(values, input)
  const missing = refuseGaps(name, placed.slots)
  const { frequency, first, zoned } = placed
  const wanted =
    input.season_length === undefined ? frequency?.periods : input.season_length > 1 ? [input.season_length] : []
  const whole = filled(placed.slots, wanted?.[0] ?? 1, input.missing ?? 'interpolate')
  const possible = wanted ?? periodOf(whole)
  const periods = possible.filter(period => whole.length > 2 * period)
  const warnings = [
    ...(source.warnings ?? []),
    ...placed.warnings,
    ...(missing > 0
      ? [
          `${missing} of ${whole.length} values were missing and are ${input.missing === 'zero' ? 'taken as 0' : 'interpolated'}.`,
        ]
      : []),
    ...(possible.length > periods.length && periods.length === 0
      ? [
          `No season of ${possible[0]} steps was looked for: that needs more than ${2 * (possible[0] ?? 0)} values, and there are ${whole.length}.`,
        ]
      : []),
    ...(wanted === undefined && periods.length > 0
      ? [
          `A season of ${periods[0]} steps was found in the values; say \`frequency\` or \`season_length\` if it is another.`,
        ]
      : []),
  ]
  return {
    name,
    values: whole,
    periods,
    ...(frequency && { frequency: frequency.name }),
    timeOf: step =>
      frequency && first !== undefined ? nameOfMoment(frequency, first + step, zoned === true) : undefined,
    filled: missing,
    warnings,
  }
}

/** Values whose times nobody said, from the first that is there to the last. */
function inOrder(
  values: readonly number[],
  { frequency }: ForecastInput,
): Pick<Placed, 'slots' | 'warnings'> & Partial<Placed> {
  const from = values.findIndex(value => !Number.isNaN(value))
  const to = values.findLastIndex(value => !Number.isNaN(value))
  return {
    slots: Float64Array.from(values.slice(Math.max(0, from), to + 1)),
    ...(frequency && { frequency: frequencyNamed(frequency, 0) }),
    warnings:
      to < 0
        ? []
        : endingSaid(
            [...values.keys()].slice(to + 1).map(i => i + 1),
            values.length,
          ),
  }
}

function refuseWild({ name, values }: RawSeries): void {
  if (values.length > MOST_VALUES)
    throw new Refusal(
      'input',
      `${shown(name)} has ${values.length} values; at most ${MOST_VALUES} are read. Send the latest ones, or sum them up.`,
    )
  const greatest = values.reduce((most, value) => Math.max(most, Math.abs(value) || 0), 0)
  if (greatest <= GREATEST && (greatest === 0 || greatest >= LEAST)) return
  throw new Refusal(
    'input',
    `The greatest value of ${shown(name)} is ${greatest}; it may be from ${LEAST} to ${GREATEST}. Give the values in other units.`,
  )
}

/** How many are missing, where that is not too many. */
function refuseGaps(name: string, slots: Float64Array): number {
  const missing = slots.filter(Number.isNaN).length
  const known = slots.length - missing
  if (known < FEWEST_VALUES)
    throw new Refusal(
      'input',
      `${shown(name)} has ${known} values; a forecast needs at least ${FEWEST_VALUES}, and more than two whole seasons to see a season.`,
    )
  if (missing > MOST_MISSING * slots.length)
    throw new Refusal(
      'input',
      `${missing} of ${slots.length} values of ${shown(name)} are missing. A forecast of so little would be made up: send more of them, or sums over longer steps.`,
    )
  return missing
}
