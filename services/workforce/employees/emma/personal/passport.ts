/** Numbers of passports, by the word before them: each country has its own form. */
import { anyCase } from './any-case.ts'
import type { Found } from './found.ts'

export function* passports(text: string): Iterable<Found> {
  for (const { 0: whole, 1: number = '', index } of text.matchAll(told))
    yield { kind: 'passport', start: index + whole.length - number.length, end: index + whole.length }
}

/** Six to twelve letters and digits, two digits among them at least; one blank may stand behind the letters or between the digits. */
const number =
  '(?:(?=[A-Za-z]{0,11}\\d[A-Za-z]{0,11}\\d)[A-Za-z\\d]{6,12}|[A-Z]{1,3} \\d{5,9}|(?=(?:\\d ?){7,12}(?!\\d))\\d{2,9} \\d{2,9})(?![\\p{L}\\p{N}])'
const word = anyCase('passport|reisepass|passeport|pasaporte')
const suffix = anyCase('number|nummer|no|nr|num|numéro|número|n°|id')
const told = new RegExp(
  `(?<![\\p{L}\\p{N}])${word}(?:[- ]?${suffix}\\.?)?[ :=#]{1,4}(?:${anyCase('is|ist|est|es')}[ :]{1,2})?(${number})`,
  'gu',
)
