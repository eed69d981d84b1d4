/** When what failed is tried again: after a pause that doubles with each failure in a row. */
import type { Clock } from '@millhand/process'

export interface Pauses {
  /** Whether it is not yet time to try again. */
  has(key: string): boolean
  /** It failed; false where it had not failed before. */
  lengthen(key: string): boolean
  /** Milliseconds until it is tried again; 0 where it is time. */
  left(key: string): number
  /** It worked. */
  end(key: string): void
}

/** From `firstMs` up to `mostMs`. */
export function createPauses(clock: Pick<Clock, 'monotonic'>, firstMs: number, mostMs: number): Pauses {
  const known = new Map<string, { readonly ms: number; readonly until: number }>()
  return {
    has: key => (known.get(key)?.until ?? Number.NEGATIVE_INFINITY) > clock.monotonic(),
    lengthen(key) {
      const before = known.get(key)
      const ms = before === undefined ? firstMs : Math.min(mostMs, 2 * before.ms)
      known.set(key, { ms, until: clock.monotonic() + ms })
      return before !== undefined
    },
    left: key => Math.max(0, (known.get(key)?.until ?? 0) - clock.monotonic()),
    end: key => void known.delete(key),
  }
}
