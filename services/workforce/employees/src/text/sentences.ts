/** A stretch of a text: `text.slice(start, end)`. */
export interface Span {
  readonly start: number
  readonly end: number
}

/**
 * The sentences of a text in their order, without the space around them. A line's end ends a sentence; a full stop does not in
 * an abbreviation, a number or an address. What has no letter and no digit, such as “:)”, belongs to the sentence before.
 */
export function sentencesOf(text: string): Span[] {
  const sentences: Span[] = []
  let start = 0
  let at = 0
  while (at < text.length) {
    const { end, isEnd } = signsAt(text, at)
    if (isEnd) {
      add(sentences, text, start, end)
      start = end
    }
    at = end
  }
  add(sentences, text, start, text.length)
  return sentences
}

const stops = new Set('.!?…')
/** They end a sentence without a space after them. */
const wideStops = new Set('。！？｡')
const closers = new Set('"\'”’»)]}」』）')

/** The end of the signs that begin here, or of the one character, and whether a sentence ends with them. */
function signsAt(text: string, at: number): { end: number; isEnd: boolean } {
  const sign = text.charAt(at)
  if (sign === '\n') return { end: at + 1, isEnd: true }
  if (wideStops.has(sign)) return { end: afterAll(closers, text, afterAll(wideStops, text, at)), isEnd: true }
  if (!stops.has(sign)) return { end: at + 1, isEnd: false }
  const end = afterAll(closers, text, afterAll(stops, text, at))
  const isInside = end < text.length && !isSpace(text.charAt(end))
  return { end, isEnd: !isInside && !(sign === '.' && end === at + 1 && isAbbreviation(text, at)) }
}

function afterAll(signs: ReadonlySet<string>, text: string, at: number): number {
  let end = at
  while (end < text.length && signs.has(text.charAt(end))) end++
  return end
}

const LONGEST = 10
const abbreviations = new Set(
  'mr mrs ms dr prof sr jr st vs no nos fig eq vol inc ltd co corp dept est approx ca al cf jan feb mar apr jun jul aug sep sept oct nov dec'.split(
    ' ',
  ),
)

/** Whether the word before a full stop is one that is written with it: “Mr.”, “J.”, “e.g.”. */
function isAbbreviation(text: string, stop: number): boolean {
  let start = stop
  while (start > 0 && stop - start <= LONGEST && /[\p{L}.]/u.test(text.charAt(start - 1))) start--
  const word = text.slice(start, stop)
  if (/^\p{Lu}$/u.test(word) || /^\p{L}\.\p{L}/u.test(word)) return true
  return abbreviations.has(word.toLowerCase()) && /^\s+\S/.test(text.slice(stop + 1, stop + 4))
}

const isSpace = (character: string) => /\s/.test(character)

function add(sentences: Span[], text: string, from: number, to: number): void {
  let start = from
  let end = to
  while (start < end && isSpace(text.charAt(start))) start++
  while (end > start && isSpace(text.charAt(end - 1))) end--
  if (start === end) return
  const last = sentences.at(-1)
  if (last && !/[\p{L}\p{N}]/u.test(text.slice(start, end)))
    sentences[sentences.length - 1] = { start: last.start, end }
  else sentences.push({ start, end })
}
