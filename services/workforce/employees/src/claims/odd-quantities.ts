/** Figures in words of their own: “half an hour”, “a third”, “two in three”, “quarterly”. */
import { scaleOf, wordValue } from './number-words.ts'
import { unitOf } from './units.ts'

interface OddQuantity {
  readonly value: number
  readonly plain: number
  readonly dimension: string | undefined
}

/** Undefined for what is no figure. */
export function oddOnes(text: string): OddQuantity | undefined {
  const of = (dimension: string | undefined, value: number, plain = value) => ({ dimension, value, plain })
  const [, part, all] = ratio.exec(text) ?? []
  if (part && all) return of('share', (100 * ofWord(part)) / ofWord(all))
  if (text.startsWith('within')) return unitQuantity(text.split(' ').at(-1) ?? '')
  const half = /^half an? (\w+)$/.exec(text)?.[1]
  const unit = half === undefined || /^(?:hour|day|year)$/.test(half) ? undefined : unitOf(half)
  if (unit) return of(unit[1], unit[2] / 2, 0.5)
  if (text.startsWith('half a'))
    return text.endsWith('year') ? of('month', 6) : of('time', text.endsWith('hour') ? 30 : 720, 0.5)
  if (text === 'an hour and a half') return of('time', 90, 1.5)
  if (/quarter of an hour/.test(text)) return of('time', 15, 0.25)
  if (/^half[- ]year$/.test(text)) return of('month', 6)
  if (/^half[- ](?:hours?|day)$/.test(text)) return of('time', text.includes('hour') ? 30 : 720, 0.5)
  if (text === 'half') return of('share', 50)
  if (text === 'three quarters') return of('share', 75)
  if (text === 'a quarter') return of('share', 25)
  if (text === 'a third') return of('share', 100 / 3, 33)
  if (text === 'price again') return of('times', 2)
  if (/^(?:quarterly|(?:every|each|per) quarter)$/.test(text)) return of('month', 3)
  if (text === 'a decade') return of('month', 120, 10)
  if (text === 'twice' || text.startsWith('double')) return of('times', 2)
  if (text.startsWith('triple')) return of('times', 3)
  if (text.startsWith('dozen')) return of(undefined, 12)
  return of(undefined, scaleOf(text.replace(/^a /, '').replace(/s$/, '')))
}

const ratio = /^(\w+) (?:in|out of)(?: every)? (?:a )?(\w+)$/
const ofWord = (text: string): number => wordValue(text) || Number(text)

function unitQuantity(name: string) {
  const unit = unitOf(name)
  return unit && { dimension: unit[1], value: unit[2], plain: 1 }
}

/** As a part of a regular expression. */
export const oddFigure = String.raw`an hour and a half|(?:a )?quarter of an hour|half an? (?:hour|day|year)|half[- ]hours?|half[- ]day|half an? (?:met(?:re|er)|lit(?:re|er)|kilo|kilogram|kilomet(?:re|er))|(?<!\p{L})half[- ]year(?! at)|(?<!and a )half(?! past|[- ]year at)|(?:(?<=(?:by|than|nearly|over|about|around|almost|roughly|only|just|under|some|another) )a (?:third|quarter)(?! (?:part|person|time|attempt|century|finals?|party))|a (?:third|quarter)(?= (?:of|more|less|fewer|off|cheaper|faster|lower|higher|smaller|larger)(?!\p{L})))|three quarters|twice(?= (?:as|the|a|per|every) )|double[ds]?|triple[ds]?|(?:a )?(?:hundred|thousand|million)s?|dozens?|quarterly|(?:every|each|per) quarter|price again|a decade|within an? (?:hour|day|week|month|year)`
const ofEach = String.raw`(?:\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|fifty|a hundred)`
/** “Two in three”. */
export const ratioFigure = String.raw`${ofEach} (?:in|out of)(?: every)? ${ofEach}`
