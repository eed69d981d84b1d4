/** Which words of a column of text say that there is no value: `NA` among codes of countries is Namibia. */
import { shown } from './foreign-text.ts'
import { isNothing } from './reading.ts'

export interface MissingWords {
  readonly isMissing: (text: string) => boolean
  readonly said: readonly string[]
}

export function missingWords(name: string, texts: readonly string[]): MissingWords {
  const words = new Map<string, number>()
  texts.forEach((text, i) => {
    if (text !== '' && isNothing(text) && text.trim() !== '' && !words.has(text.trim())) words.set(text.trim(), i + 1)
  })
  if (words.size === 0) return { isMissing: isNothing, said: [] }
  const isCode = words.has('NA') && areCodes(texts)
  const kept = (word: string) => NAMES.has(word) || (isCode && word === 'NA')
  return {
    isMissing: text => isNothing(text) && !kept(text.trim()),
    said: [...words].map(([word, row]) =>
      kept(word)
        ? `${shown(word)} in ${shown(name)}, first in row ${row}, is kept as a value${isCode ? ', as the others are codes of countries' : ''}.`
        : `${shown(word)} in ${shown(name)}, first in row ${row}, counts as missing.`,
    ),
  }
}

/** Written like names of people, of a cake or of sodium. */
const NAMES = new Set(['Na', 'Null', 'Nan'])
const CODE = /^[A-Z]{2}$/
/** Codes of continents, of statistics and of everyday use that are no regions to `Intl`. */
const FURTHER = new Set(['OC', 'AN', 'UK', 'EL', 'EU'])

/** Whether all other cells are codes of regions (ISO 3166). */
function areCodes(texts: readonly string[]): boolean {
  const others = [...new Set(texts)].filter(text => !isNothing(text))
  const regions = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })
  const isRegion = (code: string) => FURTHER.has(code) || regions.of(code) !== undefined
  return others.length > 0 && others.every(text => CODE.test(text)) && others.every(isRegion)
}
