/** A text as it would be typed plainly, and where each of its characters comes from. */
interface Folded {
  readonly text: string
  /** The place in the original of each character, and behind the last one the original's length. */
  readonly places: Uint32Array
}

/** Other forms of letters, digits and signs (full width, bold, in circles) become plain ones, and joiners vanish. */
export function fold(original: string): Folded {
  const parts: string[] = []
  const places: number[] = []
  let at = 0
  for (const character of original) {
    const plain = character <= '\u007f' ? character : joiner.test(character) ? '' : plainOf(character)
    parts.push(plain)
    for (let unit = 0; unit < plain.length; unit++) places.push(at)
    at += character.length
  }
  places.push(at)
  return { text: parts.join(''), places: Uint32Array.from(places) }
}

const joiner = /^[\p{Join_Control}\p{Variation_Selector}\p{Mn}]$/u

function plainOf(character: string): string {
  if (/\p{Nd}/u.test(character)) return digitOf(character)
  return character.normalize('NFKC')
}

/** Digits of every script stand in rows of ten. */
function digitOf(character: string): string {
  const plain = character.normalize('NFKC')
  if (plain >= '0' && plain <= '9') return plain
  let value = 0
  let code = character.codePointAt(0) as number
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - 1))) {
    code--
    value++
  }
  return String(value)
}
