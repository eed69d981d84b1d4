/** What is said of a column that others would take for numbers or times. */
import { isTimeName } from './digit-times.ts'
import { shown } from './foreign-text.ts'
import { readMoment } from './moment.ts'
import { isOneWord, monthNamed } from './month-names.ts'
import { isDesignation, readNumber } from './number.ts'
import { plainForm } from './number-form.ts'
import { isCode, isPeriodName } from './periods.ts'
import { firstOf, isNothing } from './reading.ts'

export function textSaid(name: string, type: 'category' | 'text', texts: readonly string[]): readonly string[] {
  const sample = firstOf(texts)
  if (sample.length === 0) return []
  const taken = (text: string, what: string) => [
    `${shown(name)} is taken for a ${type}, as ${shown(text)} in row ${texts.indexOf(text) + 1} is no ${what}.`,
  ]
  const [first = ''] = sample
  // `Q1` and `KW 5` have no year.
  const digits = isTimeName(name) ? /\d/ : isPeriodName(name) ? /\d{4}|\d\D{1,5}\d/ : undefined
  const areUnknownTimes = digits && sample.every(text => digits.test(text)) && !sample.every(isClock)
  const unknown = () => taken(sample.find(text => !isTime(text)) ?? first, 'time that is known: write 2026-01-31')
  const [period, ...periods] = isCode(name) ? [] : new Set(sample.filter(isPeriod))
  if (period !== undefined && periods.length > 0 && sample.filter(isPeriod).length * 2 > sample.length)
    return taken(period, 'time that is known: write 2026-01-31')
  const designation = sample.find(text => isDesignation(text) && (/^\s*\d+\s*$/.test(text) || !isTime(text)))
  if (designation !== undefined) {
    if (areUnknownTimes) return unknown()
    return sample.every(isNumber) && sample.some(text => /\d[.,]\d/.test(text))
      ? taken(designation, 'number, with a zero in front')
      : []
  }
  if (plainForm(sample) === 'mixed')
    return [`${shown(name)} is taken for a ${type}, as its numbers have different units.`]
  const others = (is: (text: string) => boolean) => sample.filter(text => !is(text))
  for (const [is, what] of [
    [isNumber, 'number'],
    [isTime, 'time'],
  ] as const) {
    const [other, ...more] = others(is)
    if (other !== undefined && (more.length + 1) * 2 < sample.length) return taken(other, what)
  }
  if (areUnknownTimes && !sample.every(isTime)) return unknown()
  const almost = almostNumber(sample)
  if (almost !== undefined) return taken(almost, 'number')
  const infinite = sample.find(isInfinite)
  if (infinite !== undefined && sample.every(text => isInfinite(text) || isNumber(text)))
    return taken(infinite, 'number')
  // What the first rows did not show.
  const late = isNumber(first) ? texts.find(text => !isNothing(text) && !isNumber(text)) : undefined
  if (late !== undefined) return others(isNumber).length > 0 ? [] : taken(late, 'number')
  const rows = (one: string, other: string) =>
    `${shown(one)} in row ${texts.indexOf(one) + 1} and ${shown(other)} in row ${texts.indexOf(other) + 1}`
  const inexact = sample.every(isNumber) ? texts.find(isInexact) : undefined
  if (inexact !== undefined) return taken(inexact, 'number that can be kept: it is beyond 2^53')
  const twoForms = disagreeing(sample)
  if (twoForms) return [`${shown(name)} is taken for a ${type}, as ${rows(...twoForms)} are written in two ways.`]
  if (new Set(sample).size > 1 && sample.every(looksDated) && !isOneWord(sample)) return unknown()
  return haveUnits(sample)
    ? [`${shown(name)} is text, as ${shown(first)} in row ${texts.indexOf(first) + 1} has a unit. Leave the units out.`]
    : []
}

const isNumber = (text: string) => {
  const form = plainForm([text])
  const [cell = ''] = form === undefined || form === 'mixed' ? [] : form.cells
  return form !== undefined && (readNumber(cell, false) ?? readNumber(cell, true)) !== undefined
}

/** Digits in groups that say a whole number beyond 2^53. */
const isInexact = (text: string) =>
  /^[+-]?\d{1,3}(?:[.,'’\s]\d{2,3}){4,}$/.test(text.trim()) &&
  !Number.isSafeInteger(Number(text.replaceAll(/[.,'’\s]/g, '')))

/** A time of day or a length of time. */
const isClock = (text: string) => /^-?\d{1,3}:\d{2}(?::\d{2})?(?:[.,]\d{1,9})?(?: ?[AP]\.?M\.?)?$/i.test(text.trim())

const isTime = (text: string) => (readMoment(text, 'day first') ?? readMoment(text, 'month first')) !== undefined

/** Two cells that no one decimal sign, or no one order of day and month, reads. */
function disagreeing(sample: readonly string[]): readonly [string, string] | undefined {
  const read = sample.every(isNumber)
    ? [(text: string) => readNumber(text, false), (text: string) => readNumber(text, true)]
    : sample.every(isTime)
      ? [(text: string) => readMoment(text, 'day first'), (text: string) => readMoment(text, 'month first')]
      : []
  const [one, other] = read.map(by => sample.find(text => by(text) === undefined))
  return one !== undefined && other !== undefined && one !== other ? [one, other] : undefined
}

/** The longest text that may be a time or a number with a unit. */
const LONGEST = 50

const DATED =
  /(?<![\d.])\d{4}[-/.] ?\d{1,2}[-/.] ?\d{1,2}(?!\d)|(?<![\d.])\d{1,2}(?:[-/.]\d{1,2}[-/.]\d{4}|[-/]\d{1,2}[-/]\d{2})(?!\d)|(?<!\d)\d{1,2}[a-z]{3}\d{4}|(?:\d{4}|\d{1,2}|元)年|^\d{1,2}\.? \p{L}{3,12}\.?,? (?:19|20)\d{2}$/iu

/** Parts of years: `FY24`, `FY2024 Q1`, `H1 2026`, `2H26`, SAP's `2026-012` and `012.2026`, `KW 1/2026`. */
const PERIODS: readonly RegExp[] = [
  /^(?:FY|GJ)[ -]?'?(?:\d{2}|(?:19|20)\d{2})(?:[-/]\d{2})?(?:[ -]?[QHPM]\d{1,2})?$/i,
  /^[QH][1-4][ -]?FY[ -]?'?(?:\d{2}|(?:19|20)\d{2})$/i,
  /^H[12][ /-]?(?:(?:19|20)\d{2}|(?<=[ /-])'?\d{2}|'\d{2})$/i,
  /^[12]H'?\d{2}$/,
  /^(?:[12]H[ /-]?(?:19|20)\d{2}|(?:19|20)\d{2}[ /-]?[HS][12]|S[12][ /-](?:19|20)\d{2})$/i,
  /^(?:(?:19|20)\d{2}[-./]0(?:0[1-9]|1[0-6])|0(?:0[1-9]|1[0-6])[-./](?:19|20)\d{2})$/,
  /^(?:(?:KW|CW|WK|W) ?\d{1,2} ?[ /.-](?:19|20)\d{2}|(?:19|20)\d{2}[ /.-](?:KW|CW|WK) ?\d{1,2})$/i,
]

const isPeriod = (text: string) => text.length <= 20 && PERIODS.some(form => form.test(text.trim()))

const isInfinite = (text: string) => /^(?:[+-]?(?:inf|infinity)|[+-]?∞|[+-]?1\.#(?:INF|IND|QNAN)0*)$/i.test(text.trim())

/** A cell that is no number below two that are, or among others of digits with a sign: `<5`, `12*`. */
function almostNumber(sample: readonly string[]): string | undefined {
  const other = sample.findIndex(text => !isNumber(text))
  if (other < 0) return undefined
  const areDigits = sample.every(
    text =>
      text.length <= LONGEST &&
      /^[<>~≈≤≥±]?\s?[\p{Nd}.,\u200B·×^_]+\s?[*†)]?$/u.test(text) &&
      !/\d\.\d+\.\d/.test(text),
  )
  return other > 1 || areDigits ? sample[other] : undefined
}

/** With a day in digits, or the name of a month and a number beside it. */
function looksDated(text: string): boolean {
  if (text.length > LONGEST) return false
  if (DATED.test(text)) return true
  const words = text.split(/[\s\-./,]+/)
  return words.some(word => /^\d{1,4}$/.test(word)) && words.some(word => monthNamed(word) !== undefined)
}

/** Of which a column may have several. */
const SIZES = new Set(
  'k m bn mn mio. mrd. mio mrd K M B bps Mio. Mrd. Mio Mrd kB kb KB MB GB TB ms s min h mg g kg mm cm km ml l'.split(
    ' ',
  ),
)
const UNITS = new Set([
  ...SIZES,
  ...'Mio. €,Mrd. €,mio. €,mrd. €,t,oz,lb,lbs,ft,in,mi,°,°C,°F,° C,° F,m²,m³,cm²,km²,m2,m3,ha,km/h,mph,m/s'.split(','),
  ...'W,kW,kWh,MWh,GWh,V,mA,Hz,kHz,MHz,GHz,kcal,kJ,Pa,hPa,bar,µg,µm,mmol/l,Std.,Std,Min.,Tage,days,hours'.split(','),
  ...'St.,Stk.,Stk,Stück,pcs,pcs.,Mt,Nm,PS,hp,dB,ppm,ppb,px,pt,cl,dl,dm,ml/min,sec,secs,mins,hrs'.split(','),
])

/** Numbers that all have the same letters beside them, apart or with decimals: `12 kg`, `1.5m`, `21°`; `D12,50`. */
function haveUnits(sample: readonly string[]): boolean {
  if (new Set(sample).size < 2) return false
  const units = new Set<string>()
  let [isMeasure, areSizes] = [false, true]
  for (const text of sample) {
    if (text.length > LONGEST) return false
    const [, behind] = /^[+-]?\d[\d.,]*( ?(?:\p{L}|[°µ])[\p{L}²³/. €$£]{0,12})$/u.exec(text.trim()) ?? []
    const isBefore = /^[CD] ?\d+[.,]\d+$/.test(text.trim())
    if (behind === undefined && !isBefore) return false
    const unit = behind?.trim() ?? ''
    if (behind !== undefined && !UNITS.has(unit)) return false
    units.add(unit)
    areSizes &&= SIZES.has(unit)
    isMeasure ||= isBefore || /\d[.,]\d|^\d+ |°/.test(text)
  }
  return areSizes || (units.size === 1 && isMeasure)
}
