import type { Found } from './found.ts'

/** How long an account number is, of each country that has them. SWIFT's IBAN registry, release 99. */
const lengths = new Map(
  `AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18
  FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25
  MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24
  SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30`
    .split(/\s+/)
    .map(entry => [entry.slice(0, 2), Number(entry.slice(2))] as const),
)

/** Account numbers of the right length for their country, with the right check digits; in groups or not. */
export function* ibans(text: string): Iterable<Found> {
  for (const { 1: country, index: start } of text.matchAll(/(?<![\p{L}\p{N}])([A-Z]{2})[ .-]?\d[ .-]?\d/giu)) {
    const length = lengths.get((country as string).toUpperCase())
    if (length === undefined) continue
    let number = ''
    let end = start
    while (end < text.length && number.length < length) {
      const character = text.charAt(end)
      if (/[A-Z0-9]/i.test(character)) number += character.toUpperCase()
      else if (!/[ \u00a0\n.-]/.test(character)) break
      end++
    }
    if (number.length === length && !/[\p{L}\p{N}]/u.test(text.charAt(end)) && isChecked(number))
      yield { kind: 'iban', start, end }
  }
}

/** ISO 7064, mod 97-10: the first four characters behind the others, letters as numbers from 10. */
function isChecked(number: string): boolean {
  let rest = 0
  for (const character of number.slice(4) + number.slice(0, 4)) {
    const value = Number.parseInt(character, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest === 1
}
