/** What a large JSON text may hold, looked at before it is parsed: some texts take 30 times as long to parse as others. */
import { fail } from '@millhand/api'

/** Parsing a smaller text costs less than a call, whatever it holds; its reader says more of what is wrong. */
const SMALL_BYTES = 65_536
/** As deep as a request may nest. */
const MAX_LEVELS = 64
/** Of one object: many keys make it a hash table. No message has so many fields, no map so many pairs and no row so many columns. */
const MAX_MEMBERS = 4_096
/** Objects and lists together: more than the rows of any table that fits an input of 512 KiB. */
const MAX_CONTAINERS = 100_000

/** Fails with `invalid_parameter`. What is no JSON at all is for the parser to say. */
export function checkShape(text: Buffer): void {
  if (text.length <= SMALL_BYTES) return
  /** By level: the members of the object that is open there. A list has none. */
  const members = new Uint32Array(MAX_LEVELS + 1)
  let level = 0
  let containers = 0
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case QUOTE:
        at = endOfString(text, at)
        break
      case COLON:
        members[level] = (members[level] as number) + 1
        if ((members[level] as number) > MAX_MEMBERS) throw tooMuch(`an object with more than ${MAX_MEMBERS} members`)
        break
      case OBJECT:
      case LIST:
        level++
        containers++
        if (level > MAX_LEVELS) throw tooMuch(`values that nest deeper than ${MAX_LEVELS} levels`)
        if (containers > MAX_CONTAINERS) throw tooMuch(`more than ${MAX_CONTAINERS} objects and lists`)
        members[level] = 0
        break
      case OBJECT_END:
      case LIST_END:
        // More ends than beginnings are no JSON.
        if (level === 0) return
        level--
    }
  }
}

function endOfString(text: Buffer, from: number): number {
  let at = from + 1
  while (at < text.length && text[at] !== QUOTE) at += text[at] === BACKSLASH ? 2 : 1
  return at
}

const [QUOTE, BACKSLASH, COLON, OBJECT, OBJECT_END, LIST, LIST_END] = [
  0x22, 0x5c, 0x3a, 0x7b, 0x7d, 0x5b, 0x5d,
] as const

const tooMuch = (what: string) => fail('invalid_parameter', `The body holds ${what}.`)
