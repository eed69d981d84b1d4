/** Vectors of texts lately seen: a handbook comes with every ticket about it. Bounded by bytes, the longest unused goes first. */
import { createHash } from 'node:crypto'

export interface VectorCache {
  get(text: string): Float32Array | undefined
  set(text: string, vector: Float32Array): void
}

/** Of a digest, the entry, and the vector's own header. */
const BESIDE_BYTES = 256

/** Keeps vectors of `mostBytes` together, with what stands beside each. */
export function vectorCache(mostBytes: number): VectorCache {
  // In the order in which they were used.
  const kept = new Map<string, Float32Array>()
  let bytes = 0
  const sizeOf = (vector: Float32Array) => vector.byteLength + BESIDE_BYTES
  return {
    get(text) {
      const key = keyOf(text)
      const vector = kept.get(key)
      if (vector !== undefined) {
        kept.delete(key)
        kept.set(key, vector)
      }
      return vector
    },
    set(text, vector) {
      const key = keyOf(text)
      if (kept.has(key)) return
      kept.set(key, vector)
      bytes += sizeOf(vector)
      for (const [oldest, { byteLength }] of kept) {
        if (bytes <= mostBytes) break
        kept.delete(oldest)
        bytes -= byteLength + BESIDE_BYTES
      }
    },
  }
}

/** No text of anybody's stays in memory. */
const keyOf = (text: string): string => createHash('sha256').update(text).digest('base64')
