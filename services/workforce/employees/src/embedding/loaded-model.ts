/** A sentence model that is loaded in this process, with the vectors of texts lately seen. */
import { setImmediate } from 'node:timers/promises'
import { batchesOf, openEncoder, type TokenizedText } from '@millhand/embedding'
import { type Load, MOST_WIDTH } from './protocol.ts'
import { vectorCache } from './vector-cache.ts'

export interface LoadedModel {
  /** One unit vector a text. Between two texts, and two batches, it looks at the signal: undefined once that fired. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[] | undefined>
}

const CACHE_BYTES = 64 * 2 ** 20

/** Rejects with what says why it is none of these models. */
export async function loadModel(files: Load): Promise<LoadedModel> {
  const encoder = await openEncoder(files)
  const cache = vectorCache(CACHE_BYTES)
  const [vector] = await encoder.encode([encoder.tokenize('a')])
  if (vector === undefined || vector.length > MOST_WIDTH) throw new Error(`its vectors have over ${MOST_WIDTH} numbers`)

  return {
    async embed(texts, signal) {
      const vectors = new Map<string, Float32Array>()
      for (const text of texts) {
        const known = cache.get(text)
        if (known !== undefined) vectors.set(text, known)
      }
      const unknown: (TokenizedText & { readonly text: string })[] = []
      for (const text of new Set(texts)) {
        if (vectors.has(text)) continue
        if (await heard(signal)) return undefined
        unknown.push({ text, ...encoder.tokenize(text) })
      }
      for (const batch of batchesOf(unknown)) {
        if (await heard(signal)) return undefined
        const made = await encoder.encode(batch)
        for (const [at, { text }] of batch.entries()) {
          const vector = made[at] as Float32Array
          cache.set(text, vector)
          vectors.set(text, vector)
        }
      }
      return texts.map(text => vectors.get(text) as Float32Array)
    },
  }
}

/** Whether it is to stop. Tokenizing blocks this process as runs do: what has come meanwhile is heard here. */
async function heard(signal: AbortSignal): Promise<boolean> {
  await setImmediate()
  return signal.aborted
}
