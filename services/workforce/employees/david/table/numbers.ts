/** Texts as a column of numbers, with the decimal sign that the column, the table or the input settles. */
import type { Conventions, Settled } from './conventions.ts'
import { shown } from './foreign-text.ts'
import { type Decimal, decimalOf, isDesignation, isError, readNumber } from './number.ts'
import { plainForm } from './number-form.ts'
import { firstOf, type Reading, type Strange } from './reading.ts'

/** So few cells among numbers that are none are taken for mistakes: one in a hundred. */
const MISTAKES = 0.01

/** Undefined where the cells are no numbers. */
export function readNumbers(name: string, texts: readonly string[], conventions: Conventions): Reading | undefined {
  const plain = plainNumbers(name, texts, texts, conventions)
  if (plain !== undefined) return plain
  const form = plainForm(texts)
  return form === undefined || form === 'mixed' ? undefined : plainNumbers(name, form.cells, texts, conventions)
}

/** Whose squares can be added up; also what is missing. */
export const isUsable = (value: number) => !(Math.abs(value) >= 1e100)

/** `given` as they were written, `texts` without units and signs. */
function plainNumbers(
  name: string,
  texts: readonly string[],
  given: readonly string[],
  conventions: Conventions,
): Reading | undefined {
  const sample = firstOf(texts).filter(text => !isError(text))
  if (sample.length === 0 || sample.some(isDesignation)) return undefined
  const others = sample.filter(text => readNumber(text, false) === undefined && readNumber(text, true) === undefined)
  if (!few(others.length, sample.length)) return undefined
  const { comma, said } = settled(name, texts, conventions.decimal)
  const strange: Strange[] = []
  const values = new Float64Array(texts.length)
  let [found, designations] = [0, 0]
  texts.forEach((text, i) => {
    const value = isPlain(text, comma) ? Number(text) : readNumber(text, comma)
    const unusable = value === undefined || !isUsable(value)
    if (unusable) strange.push({ text: given[i] ?? '', row: i + 1 })
    else if (!Number.isNaN(value)) found++
    if ((text.charCodeAt(0) === ZERO || text.length >= LONG) && (isDesignation(text) || isInexact(text, value)))
      designations++
    values[i] = unusable ? Number.NaN : value
  })
  if (found === 0 || designations > 0 || !few(strange.filter(({ text }) => !isError(text)).length, texts.length))
    return undefined
  const changed = texts === given ? -1 : given.findIndex((text, i) => text.trim() !== texts[i])
  const example =
    changed < 0 ? [] : [`${shown(name)} is read as numbers: ${shown(given[changed] ?? '')} as ${values[changed]}.`]
  return { values, strange, said: [...example, ...said] }
}

/** Which sign is before the decimals; what is said where no cell of the column decides. */
function settled(
  name: string,
  texts: readonly string[],
  convention: Settled<Decimal> | undefined,
): { readonly comma: boolean; readonly said: readonly string[] } {
  if (convention?.isGiven) return { comma: convention.is === 'comma', said: [] }
  const found = decimalOf(texts)
  if (found?.unsure === undefined) return { comma: found?.is === 'comma', said: [] }
  const comma = convention?.is === 'comma'
  const value = readNumber(found.unsure, comma)
  const why = convention ? `, ${convention.by}` : ''
  return {
    comma,
    said: [
      `${shown(name)} is read with a decimal ${comma ? 'comma' : 'point'}${why}: ${shown(found.unsure)} as ${value}. Say \`decimal\` if it is the other.`,
    ],
  }
}

/** Whole numbers beyond 2^53, however they are grouped. */
const isInexact = (text: string, value = 0) =>
  Number.isInteger(value) && !Number.isSafeInteger(value) && !/e/i.test(text)

const few = (strange: number, all: number) => strange <= all * MISTAKES

const [ZERO, NINE, POINT] = [48, 57, 46]

/** A number of fewer digits is exact. */
const LONG = 16

/** Digits alone, or with a decimal point, as nearly all are: read without a regular expression. */
function isPlain(text: string, comma: boolean): boolean {
  if (text.length === 0 || text.length > 17) return false
  let points = 0
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at)
    if (sign === POINT && !comma) points++
    else if (sign < ZERO || sign > NINE) return false
  }
  return points <= 1 && text.length > points
}
