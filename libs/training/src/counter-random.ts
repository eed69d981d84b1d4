/**
 * Random numbers by their place: the same seed, stream and index give the same number on every machine, in any order,
 * and nothing but the place has to be kept to go on. The hash is pcg4d: Jarzynski and Olano, Hash Functions for GPU
 * Rendering (2020), listing in section 5.
 */

/** A whole number from 0 to 2^32 - 1. All arguments are such numbers. */
export function randomAt(seed: number, stream: number, step: number, index: number): number {
  let x = pcg(seed)
  let y = pcg(stream)
  let z = pcg(step)
  let w = pcg(index)
  for (let round = 0; round < 2; round += 1) {
    x = (x + Math.imul(y, w)) | 0
    y = (y + Math.imul(z, x)) | 0
    z = (z + Math.imul(x, y)) | 0
    w = (w + Math.imul(y, z)) | 0
    if (round > 0) break
    x ^= x >>> 16
    y ^= y >>> 16
    z ^= z >>> 16
    w ^= w >>> 16
  }
  return x >>> 0
}

const pcg = (value: number): number => (Math.imul(value, 1664525) + 1013904223) | 0
