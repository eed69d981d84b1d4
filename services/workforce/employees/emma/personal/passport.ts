/** Numbers of passports, by the word before them: each country has its own form. */
import type { Found } from './found.ts'

export function* passports(text: string): Iterable<Found> {
  for (const { 0: whole, 1: number = '', index } of text.matchAll(told))
    yield { kind: 'passport', start: index + whole.length - number.length, end: index + whole.length }
}

/** Six to twelve letters and digits, two digits among them at least; one blank may stand behind the letters or between the digits. */
const number =
  '(?:(?=[A-Z]{0,11}\\d[A-Z]{0,11}\\d)[A-Z\\d]{6,12}|(?-i:[A-Z]{1,3}) \\d{5,9}|(?=(?:\\d ?){7,12}(?!\\d))\\d{2,9} \\d{2,9})(?![\\p{L}\\p{N}])'
const told = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:passport|reisepass|passeport|pasaporte)(?:[- ]?(?:number|nummer|no|nr|num|numéro|número|n°|id)\\.?)?[ :=#]{1,4}(?:(?:is|ist|est|es)[ :]{1,2})?(${number})`,
  'giu',
)
