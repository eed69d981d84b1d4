/** Dates of birth, by the word before them: any other date says nothing of anybody. */
import type { Found } from './found.ts'

export function* births(text: string): Iterable<Found> {
  for (const { 0: whole, 1: date = '', index } of text.matchAll(told))
    yield { kind: 'birth_date', start: index + whole.length - date.length, end: index + whole.length }
}

const cues =
  'born|d\\.?o\\.?b\\.?|date of birth|birth ?date|birthday|geboren|geb\\.|geburts(?:datum|tag)|née?|date de naissance|nacid[oa]|fecha de nacimiento'
const month = '\\p{L}{3,10}\\.?'
const day = '\\d{1,2}(?:st|nd|rd|th|\\.)?'
const date = `\\d{1,4}[./-]\\d{1,2}[./-]\\d{2,4}|${day} (?:of |de )?${month},? (?:de )?\\d{2,4}|${month} ${day},? \\d{4}`
/** “Berlin”, “New York, USA”. */
const place = '\\p{L}[\\p{L}\\p{M}’-]{1,30}(?:,? \\p{L}[\\p{L}\\p{M}’-]{1,30}){0,2}?'
const told = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${cues})(?![\\p{L}\\p{N}])(?: ?\\([^()\\n]{1,20}\\))?[ :=,]{0,4}(?:(?:in|at|à|en) ${place},? )?(?:(?:is|was|on|ist|am|the|le|el|est)[ :]{1,2}){0,2}(${date})(?![\\p{L}\\p{N}])`,
  'giu',
)
