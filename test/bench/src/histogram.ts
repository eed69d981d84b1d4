/** Counts of durations in whole microseconds, in buckets at most 1/128 of their value wide. */
export interface Histogram {
  record(microseconds: number): void
  /** The upper edge of the bucket that holds the given share (0 to 1) of the values; 0 when there are none. */
  quantile(share: number): number
  readonly count: number
  readonly max: number
}

/** Values below 256 have a bucket each; above, every power of two is cut into 128. Good for up to 2^31 microseconds. */
export function histogram(): Histogram {
  const buckets = new Uint32Array(128 * 26)
  let count = 0
  let max = 0
  return {
    record(microseconds) {
      const value = microseconds | 0
      const index = bucketOf(value)
      buckets[index] = (buckets[index] ?? 0) + 1
      count += 1
      if (value > max) max = value
    },
    quantile(share) {
      let left = Math.max(1, Math.ceil(share * count))
      for (let index = 0; index < buckets.length && count > 0; index += 1) {
        left -= buckets[index] ?? 0
        if (left <= 0) return Math.min(max, upperEdge(index))
      }
      return 0
    },
    get count() {
      return count
    },
    get max() {
      return max
    },
  }
}

function bucketOf(value: number): number {
  if (value < 256) return value
  const shift = 24 - Math.clz32(value)
  return shift * 128 + (value >>> shift)
}

function upperEdge(index: number): number {
  if (index < 256) return index
  const shift = Math.floor(index / 128) - 1
  return (index - shift * 128 + 1) * 2 ** shift - 1
}
