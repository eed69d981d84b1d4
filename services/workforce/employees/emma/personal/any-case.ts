/**
 * A group that matches the pattern in capitals and small letters: `Hi|[ao]` gives `(?:[hH][iI]|[aAoO])`. The pattern has no
 * escaped letter, as `\d` has, and no range.
 *
 * The modifier `i` of a group is no alternative: V8 13.6 may compile the group with the flags of another part of the pattern
 * (nodejs/node#60030). It does so for all but the last branch in a process with more than 16 MiB of machine code, where V8
 * stops optimizing regular expressions; the group then misses capitals.
 */
export function anyCase(pattern: string): string {
  let isInClass = false
  const inBoth = pattern.replaceAll(/[[\]\p{L}]/gu, sign => {
    if (sign === '[' || sign === ']') {
      isInClass = sign === '['
      return sign
    }
    const cases = casesOf(sign)
    return isInClass ? cases : `[${cases}]`
  })
  return `(?:${inBoth})`
}

/** The capital of ß is ẞ, though `toUpperCase` makes two letters of it. */
const casesOf = (letter: string): string => (letter === 'ß' ? 'ßẞ' : letter.toLowerCase() + letter.toUpperCase())
