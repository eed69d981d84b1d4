/** Where Python's strings and numbers differ from those of JavaScript. */

/** What Python's `str.split()` and `str.strip()` take for space. Unlike `\s` it has U+001C to U+001F and U+0085, and not U+FEFF. */
const SPACE = '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000'
const words = new RegExp(`[^${SPACE}]+`, 'g')

/** `text.split()` */
export const split = (text: string): string[] => text.match(words) ?? []

/** `text.strip()` */
export function strip(text: string): string {
  const isSpace = (at: number) => spaces.has(text.charCodeAt(at))
  let start = 0
  let end = text.length
  while (start < end && isSpace(start)) start++
  while (end > start && isSpace(end - 1)) end--
  return text.slice(start, end)
}

const spaces = new Set(
  Array.from({ length: 0x3001 }, (_, code) => code).filter(code =>
    new RegExp(`[${SPACE}]`).test(String.fromCharCode(code)),
  ),
)

/** `string.punctuation` */
const punctuation = new Set('!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~')

/** `text.strip(string.punctuation)` */
export function stripPunctuation(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && punctuation.has(text.charAt(start))) start++
  while (end > start && punctuation.has(text.charAt(end - 1))) end--
  return text.slice(start, end)
}

/** `text.isupper()`: something has a case, and all that has one is upper. */
export const isUpper = (text: string): boolean => /\p{Uppercase}/u.test(text) && !/[\p{Lowercase}\p{Lt}]/u.test(text)

/** `round(value, digits)`: what is exactly between two goes to the even one. */
export function roundHalfEven(value: number, digits: number): number {
  // No sum of fewer binary digits is nearer to the middle than 30 decimal digits can tell.
  const exact = Math.abs(value).toFixed(30)
  const cut = exact.length - 30 + digits
  const isMiddle = /^50*$/.test(exact.slice(cut))
  const isEven = Number(exact[cut - 1]) % 2 === 0
  return isMiddle && isEven ? Math.sign(value) * Number(exact.slice(0, cut)) : Number(value.toFixed(digits))
}
