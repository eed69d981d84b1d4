/**
 * How well personal data is found: texts with something planted between ⟦ and ⟧, and look-alikes, of kinds `none:…`. All are
 * made up, and were written before the code that finds them was read.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { visibleText } from '../../src/text/visible-text.ts'
import { createMask } from './mask.ts'

export interface Masking {
  readonly planted: number
  readonly lookAlikes: number
  /** Of what was planted, the whole of it gone; the others in their texts. */
  readonly missed: readonly string[]
  /** Look-alikes of which anything was masked. */
  readonly mistaken: readonly string[]
}

/** What may go out in every text of the set. */
const open = ['help@rentals.example', 'billing@rentals.example', '+44 20 7946 0999', '020 7946 0999', '198.51.100.7']

const sets = ['planted.tsv', 'planted-names.tsv'] as const

const textsOf = (set: (typeof sets)[number]) =>
  readFileSync(join(import.meta.dirname, set), 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => {
      const [, written = ''] = line.split('\t')
      const text = written.replaceAll('\\n', '\n')
      return { line, planted: [...text.matchAll(/⟦(.*?)⟧/gs)].map(([, datum = '']) => datum), text }
    })

/** The texts as a customer would write them, and what is planted in each. */
export const written = () =>
  sets.flatMap(textsOf).map(({ line, text, planted }) => ({ line, planted, text: plain(text) }))

const plain = (text: string) => text.replaceAll(/[⟦⟧]/g, '')

export function measure(set: (typeof sets)[number] = 'planted.tsv'): Masking {
  const texts = textsOf(set)
  const masked = ({ text }: { text: string }) => createMask(open).mask(visibleText(plain(text)))
  const withData = texts.filter(({ planted }) => planted.length > 0)
  const without = texts.filter(({ planted }) => planted.length === 0)
  return {
    planted: withData.reduce((sum, { planted }) => sum + planted.length, 0),
    lookAlikes: without.length,
    missed: withData.flatMap(text =>
      text.planted.filter(datum => isLeft(datum, masked(text), aroundOf(text))).map(() => text.line),
    ),
    mistaken: without.filter(text => masked(text) !== visibleText(text.text)).map(({ line }) => line),
  }
}

const aroundOf = ({ text }: { text: string }) => bare(text.replaceAll(/⟦.*?⟧/gs, GAP))

const GAP = '|'

/** Whether three signs in a row of a datum are still to be read, where they stand nowhere else in its text. */
function isLeft(datum: string, masked: string, around: string): boolean {
  const signs = bare(visibleText(datum))
  const rest = bare(masked.replaceAll(/\[[a-z ]{2,20} \d+\]/g, GAP))
  for (let at = 0; at + PIECE <= signs.length; at++) {
    const piece = signs.slice(at, at + PIECE)
    if (rest.includes(piece) && !around.includes(piece)) return true
  }
  return false
}

const PIECE = 3

const bare = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}|]/gu, '')
