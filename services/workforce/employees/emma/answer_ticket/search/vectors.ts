/** Texts as vectors, by the platform's embedding model. */
import type { Embed } from '../../../src/kind.ts'
import type { Vector } from './likeness.ts'

/** Of one question to the model. */
const MOST_TEXTS = 512

/** Gives the vector of each of the texts, every one asked for once. */
export async function vectorsOf(texts: Iterable<string>, embed: Embed): Promise<(text: string) => Vector> {
  const different = [...new Set(texts)]
  const vectors = new Map<string, Vector>()
  for (let at = 0; at < different.length; at += MOST_TEXTS) {
    const asked = different.slice(at, at + MOST_TEXTS)
    const given = await embed(asked)
    for (const [place, text] of asked.entries()) vectors.set(text, given[place] as Vector)
  }
  return text => vectors.get(text) as Vector
}
