/** What is said of a column of text that others would take for numbers or times. */
import { isTimeName } from './digit-times.ts'
import { shown } from './foreign-text.ts'
import { readMoment } from './moment.ts'
import { isDesignation, readNumber } from './number.ts'
import { plainForm } from './number-form.ts'
import { firstOf, isNothing } from './reading.ts'

export function textSaid(name: string, type: 'category' | 'text', texts: readonly string[]): readonly string[] {
  const sample = firstOf(texts)
  if (sample.length === 0) return []
  const taken = (text: string, what: string) => [
    `${shown(name)} is taken for a ${type}, as ${shown(text)} in row ${texts.indexOf(text) + 1} is no ${what}.`,
  ]
  if (sample.some(isDesignation)) return []
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
  if (isTimeName(name) && sample.every(text => /\d/.test(text)) && !sample.every(isClock))
    return taken(sample[0] ?? '', 'time that is known: write 2026-01-31')
  // What the first rows did not show.
  const late = isNumber(sample[0] ?? '') ? texts.find(text => !isNothing(text) && !isNumber(text)) : undefined
  return late === undefined || others(isNumber).length > 0 ? [] : taken(late, 'number')
}

const isNumber = (text: string) => {
  const form = plainForm([text])
  const [cell = ''] = form === undefined || form === 'mixed' ? [] : form.cells
  return form !== undefined && (readNumber(cell, false) ?? readNumber(cell, true)) !== undefined
}

/** A time of day or a length of time. */
const isClock = (text: string) => /^\d{1,3}:\d{2}(?::\d{2})?$/.test(text.trim())

const isTime = (text: string) => (readMoment(text, 'day first') ?? readMoment(text, 'month first')) !== undefined
