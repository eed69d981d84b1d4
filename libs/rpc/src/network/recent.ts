/** What was looked up lately, in bounded memory. */

export interface Recent<V> {
  get(key: string): V | undefined
  set(key: string, value: V): void
}

/**
 * Remembers at least the latest `size / 2` keys that were set or got, and never more than `size`: it fills one map, then
 * begins another and forgets the one before, so that neither order nor age has to be kept.
 */
export function createRecent<V>(size: number): Recent<V> {
  const half = Math.floor(size / 2)
  let young = new Map<string, V>()
  let old = new Map<string, V>()

  const set = (key: string, value: V) => {
    if (young.size >= half) {
      old = young
      young = new Map()
    }
    young.set(key, value)
  }
  return {
    set,
    get(key) {
      const found = young.get(key)
      if (found !== undefined) return found
      const older = old.get(key)
      if (older !== undefined) set(key, older)
      return older
    },
  }
}
