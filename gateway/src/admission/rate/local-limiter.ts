/** Request rates of a gateway that is the only one: exact, and without a hop. */
import { Ring, Windows } from '@millhand/rate'
import type { Clock } from '@millhand/runner'
import type { RateLimiter } from './limiter.ts'

export function localLimiter(clock: Pick<Clock, 'monotonic'>): RateLimiter {
  const rings = new Windows(
    () => new Ring(),
    (ring, now) => ring.countAt(now) === 0,
  )
  return {
    take({ name, limit }) {
      const now = clock.monotonic()
      const ring = rings.get(name, now)
      const count = ring.countAt(now)
      const passes = count < limit
      if (passes) ring.add(now)
      const held = passes ? count + 1 : count
      // Where the limit was larger before, more than one has to leave.
      const nextMs = ring.leavesIn(Math.max(0, held - limit), now)
      return { passes, remaining: Math.max(0, limit - held), nextMs }
    },
    isFull({ name, limit }) {
      const now = clock.monotonic()
      return rings.get(name, now).countAt(now) >= limit
    },
  }
}
