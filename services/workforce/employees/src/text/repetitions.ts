import { sentencesOf } from './sentences.ts'

/** Sentences of four words and more that stood there before. */
export function repetitions(text: string): number {
  const seen = new Set<string>()
  return sentencesOf(text).filter(({ start, end }) => {
    const sentence = text.slice(start, end).toLowerCase().replaceAll(/\s+/g, ' ')
    if (sentence.split(' ').length < 4) return false
    const isKnown = seen.has(sentence)
    seen.add(sentence)
    return isKnown
  }).length
}
