import { countrySpecs, isValidIBAN } from 'ibantools'
import type { Found } from './found.ts'

/** Account numbers that are valid in their country, check digits included; in groups or not. */
export function* ibans(text: string): Iterable<Found> {
  for (const { 1: country = '', index: start } of text.matchAll(/(?<![\p{L}\p{N}])([A-Z]{2})[ .-]?\d[ .-]?\d/giu)) {
    const length = countrySpecs[country.toUpperCase()]?.chars
    if (!length) continue
    let number = ''
    let end = start
    while (end < text.length && number.length < length) {
      const character = text.charAt(end)
      if (/[A-Z0-9]/i.test(character)) number += character.toUpperCase()
      else if (!/[ \u00a0\n.-]/.test(character)) break
      end++
    }
    if (!/[\p{L}\p{N}]/u.test(text.charAt(end)) && isValidIBAN(number)) yield { kind: 'iban', start, end }
  }
}
