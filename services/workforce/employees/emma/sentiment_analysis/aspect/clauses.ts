/** The pieces of a sentence that speak of different things. */
import type { Span } from '../../../src/text/sentences.ts'
import type { Token } from './tokens.ts'

/**
 * Cut at commas, semicolons, dashes, “and” and words of contrast, and joined again so that each piece names one of the aspects:
 * what names none belongs to the piece before it, or to the first. `named` says at which tokens one begins.
 */
export function clausesOf(sentence: string, tokens: readonly Token[], named: ReadonlySet<number>): Span[] {
  const pieces: { start: number; isNaming: boolean }[] = [{ start: 0, isNaming: false }]
  tokens.forEach(({ word, start }, at) => {
    if (cuts.has(word)) pieces.push({ start, isNaming: false })
    if (named.has(at)) (pieces.at(-1) as { isNaming: boolean }).isNaming = true
  })
  const naming = pieces.filter(({ isNaming }) => isNaming)
  return naming.map(({ start }, at) => ({
    start: at === 0 ? 0 : start,
    end: naming[at + 1]?.start ?? sentence.length,
  }))
}

const cuts = new Set(', ; : – — - ( and but however although though while whereas yet except'.split(' '))
