/** Vectors of texts lately seen: a handbook comes with every ticket about it. Bounded by bytes, the longest unused goes first. */

import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'

export interface VectorCache {
  get(text: string): Float32Array | undefined
  set(text: string, vector: Float32Array): void
}

/** Of a digest, the entry, and the vector's own header. */
const BESIDE_BYTES = 256

/** Keeps vectors of `mostBytes` together, with what stands beside each. */
export function vectorCache(mostBytes: number): VectorCache {
  const kept = new LRUCache<string, Float32Array>({
    maxSize: mostBytes,
    sizeCalculation: ({ byteLength }) => byteLength + BESIDE_BYTES,
  })
  return {
    get: text => kept.get(keyOf(text)),
    set: (text, vector) => void kept.set(keyOf(text), vector),
  }
}

/** No text of anybody's stays in memory. */
const keyOf = (text: string): string => createHash('sha256').update(text).digest('base64')
