/** A piece of a file, made into something that can be read by itself. */
import type { Language } from '../language.ts'
import type { Piece } from './changes.ts'

/** Texts to try, the plainest first; `line` is that of the file in which the first of the text would stand, and may be none that there is. */
export function readings(language: Language, { line, text }: Piece): Piece[] {
  const around = language === 'python' ? pythonAround(text) : bracketsAround(text)
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
  parses: (text: string) => boolean,
  budget: ParseBudget,
): Part[] {
  const whole = readings(language, piece).find(({ text }) => parses(text))
  const lines = piece.text.split('\n')
  if (whole) return [{ ...whole, from: piece.line, to: piece.line + lines.length - 1 }]
  const parts: Part[] = []
  for (let at = 0; at < lines.length; ) {
    let taken = 0
    for (let size = lines.length - at; size >= 1 && taken === 0 && budget.left > 0; size = Math.floor(size / 2)) {
      const run = { line: piece.line + at, text: lines.slice(at, at + size).join('\n') }
      budget.left -= run.text.length + COST_OF_A_TRY
      const read = readings(language, run).find(({ text }) => parses(text))
      if (read) parts.push({ ...read, from: run.line, to: run.line + size - 1 })
      if (read) taken = size
    }
    at += Math.max(1, taken)
  }
  return parts
}

/** A reading, and the lines of the file that it holds. */
export interface Part extends Piece {
  readonly from: number
  readonly to: number
}

/** What is left for tries to read parts of hunks, in characters; one for all hunks of a review. */
export interface ParseBudget {
  left: number
}

/** A hunk of a hundred lines takes some 100,000; hostile ones are left after about two seconds. */
export const parseBudget = (): ParseBudget => ({ left: 1_200_000 })

/** A try of one line takes as long as that many characters more. */
const COST_OF_A_TRY = 200

/** What only the rest of the file can tell. */
export const needsTheRest = new Set([
  'no-undef',
  'no-unused-vars',
  'no-unused-expressions',
  'no-useless-assignment',
  'no-redeclare',
  'no-unreachable',
  'no-unmodified-loop-condition',
  'no-fallthrough',
  '@typescript-eslint/no-unused-vars',
  '@typescript-eslint/no-unused-expressions',
  'no-unused-private-class-members',
  'F401',
  'F811',
  'F821',
  'F822',
  'F823',
  'F841',
  'F706',
  'F702',
  'B018',
  'PLE1142',
  'syntax-error',
])

interface Around {
  readonly before: string
  readonly after: string
}

function bracketsAround(text: string): Around[] {
  const open: string[] = []
  const missing: string[] = []
  for (const [bracket] of text.replaceAll(/\/\/[^\n]*|"[^"\n]*"|'[^'\n]*'/g, '').matchAll(/[(){}[\]]/g)) {
    if (closes[bracket]) open.push(bracket)
    else if (closes[open.at(-1) ?? ''] === bracket) open.pop()
    else missing.push(bracket)
  }
  const after = open
    .toReversed()
    .map(bracket => closes[bracket])
    .join('')
  let before = ''
  for (const bracket of missing.toReversed()) {
    const isArgument = before.endsWith('(') || before.endsWith('[')
    before += bracket === ')' ? '_(' : bracket === ']' ? '[' : isArgument ? 'async () => {' : '{'
  }
  return [
    { before, after },
    { before: `async function* _() { ${before}`, after: `${after}}` },
    { before: `class _ { ${before}`, after: `${after}}` },
    // Where a bracket that is missing was that of a method.
    { before: `class _ { async _() ${before || '{'}`, after: `${after}}` },
  ]
}

const closes: Readonly<Record<string, string | undefined>> = { '(': ')', '{': '}', '[': ']' }

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
