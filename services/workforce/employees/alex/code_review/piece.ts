/** A piece of a file, made into something that can be read by itself. */
import { type Linter, linesIn } from '../finding.ts'
import type { Language } from '../language.ts'
import { type Around, bracketsAround } from './balanced.ts'
import type { Piece } from './changes.ts'

/** A text to read, and the lines of the file that are read in it. */
export interface Part extends Piece {
  readonly lines: ReadonlySet<number>
  /** The last line of the file that it has. */
  readonly last: number
}

/** What of a piece can be read by the linter of its language. */
export const partsOf = (language: Language, piece: Piece, linter: Linter, budget: ParseBudget): Part[] =>
  linter.unparsed ? [bestReading(language, piece, linter.unparsed)] : readableParts(language, piece, linter, budget)

/** Of a linter that reads around what it can't parse: the reading that loses the fewest lines. */
function bestReading(language: Language, piece: Piece, unparsed: NonNullable<Linter['unparsed']>): Part {
  const count = piece.text.split('\n').length
  let best: Part | undefined
  for (const reading of readings(language, piece)) {
    const part = partOf(reading, piece.line, count)
    const lost = linesIn(unparsed(reading.text))
    const lines = new Set([...part.lines].filter(line => !lost.has(line - reading.line + 1)))
    if (lines.size > (best?.lines.size ?? -1)) best = { ...part, lines }
    if (lines.size === count) break
  }
  return best ?? { ...partOf(piece, piece.line, count), lines: new Set() }
}

const partOf = (reading: Piece, line: number, count: number): Part => ({
  ...reading,
  lines: new Set(Array.from({ length: count }, (_, at) => line + at)),
  last: line + count - 1,
})

/** Texts to try, the plainest first; `line` is that of the file in which the first of the text would stand, and may be none that there is. */
function readings(language: Language, { line, text }: Piece): Piece[] {
  const around = language === 'python' ? pythonAround(text) : wrapped(language, text)
  return around.map(({ before, after }) =>
    before === ''
      ? { line, text: `${text}\n${after}` }
      : { line: line - before.split('\n').length, text: `${before}\n${text}\n${after}` },
  )
}

/**
 * Where no reading of a piece is of the language, the longest runs of its lines that have one, from the top; each tried run is
 * half as long as the one before. Lines that no run holds are left out, and those for which `budget` has nothing left.
 */
export function readableParts(
  language: Language,
  piece: Piece,
  { parses }: Pick<Linter, 'parses'>,
  budget: ParseBudget,
): Part[] {
  const whole = readings(language, piece).find(({ text }) => parses(text))
  const lines = piece.text.split('\n')
  if (whole) return [partOf(whole, piece.line, lines.length)]
  const parts: Part[] = []
  for (let at = 0; at < lines.length; ) {
    let taken = 0
    for (let size = lines.length - at; size >= 1 && taken === 0 && budget.left > 0; size = Math.floor(size / 2)) {
      const run = { line: piece.line + at, text: lines.slice(at, at + size).join('\n') }
      budget.left -= run.text.length + COST_OF_A_TRY
      const read = readings(language, run).find(({ text }) => parses(text))
      if (read) parts.push(partOf(read, run.line, size))
      if (read) taken = size
    }
    at += Math.max(1, taken)
  }
  return parts
}

/** What is left for tries to read parts of hunks, in characters; one for all hunks of a review. */
export interface ParseBudget {
  left: number
}

/** A hunk of a hundred lines takes some 100,000; hostile ones are left after about two seconds. */
export const parseBudget = (): ParseBudget => ({ left: 1_200_000 })

/** A try of one line takes as long as that many characters more. */
const COST_OF_A_TRY = 200

/** The text alone, with its brackets closed, and within what the language has brackets of. */
function wrapped(language: Language, text: string): Around[] {
  const { before, after } = bracketsAround(text, language)
  const isBalanced = before === '' && after === ''
  return [
    // Without its mark, PHP is text.
    ...(language === 'php' && !text.includes('<?')
      ? []
      : [{ before: '', after: '' }, ...(isBalanced ? [] : [{ before, after }])]),
    ...(wraps[language] ?? []).map(([head, tail]) => ({ before: `${head} ${before}`, after: `${after}${tail}` })),
    // Where a bracket that is missing was that of a method.
    ...(language === 'javascript' || language === 'typescript'
      ? [{ before: `class _ { async _() ${before || '{'}`, after: `${after}}` }]
      : []),
  ]
}

/** Heads and tails of functions and classes. */
const wraps: Readonly<Partial<Record<Language, readonly (readonly [string, string])[]>>> = {
  javascript: [
    ['async function* _() {', '}'],
    ['class _ {', '}'],
  ],
  typescript: [
    ['async function* _() {', '}'],
    ['class _ {', '}'],
  ],
  go: [
    ['package _', ''],
    ['package _; func _() {', '}'],
  ],
  java: [
    ['class _ { void _() {', '}}'],
    ['class _ {', '}'],
  ],
  csharp: [
    ['class _ { void _() {', '}}'],
    ['class _ {', '}'],
  ],
  rust: [
    ['fn _f() {', '}'],
    ['impl _I {', '}'],
  ],
  php: [
    ['<?php', ''],
    ['<?php class _ {', '}'],
    ['<?php function _() {', '}'],
  ],
}

/** Blocks for each level of indentation that the piece begins in. */
function pythonAround(text: string): Around[] {
  const depths = text
    .split('\n')
    .filter(line => line.trim() !== '')
    .map(line => line.search(/\S/))
  const [first = 0] = depths
  const levels = [...new Set([0, ...depths.filter(depth => depth < first)])].toSorted((a, b) => a - b)
  const before = first === 0 ? '' : levels.map(level => `${' '.repeat(level)}if 1:`).join('\n')
  return [{ before, after: '' }]
}
