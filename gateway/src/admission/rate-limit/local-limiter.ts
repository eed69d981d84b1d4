/** Request rates of a gateway that is the only one: exact, and without a hop. */

import type { Clock } from '@millhand/process'
import { SlidingWindow, WindowMap } from '@millhand/rate'
import type { RateLimiter } from './limiter.ts'

export function localLimiter(clock: Pick<Clock, 'monotonic'>): RateLimiter {
  const rings = new WindowMap(
    () => new SlidingWindow(),
    (ring, now) => ring.countAt(now) === 0,
  )
  return {
    take({ name, limit }, weight = 1) {
      const now = clock.monotonic()
      const ring = rings.get(name, now)
      const count = ring.countAt(now)
      const passes = count + weight <= limit
      if (passes) ring.add(now, weight)
      const held = passes ? count + weight : count
      // Where the limit was larger before, more than one has to leave.
      const nextMs = ring.leavesIn(Math.max(0, held - limit), now)
      const taken = { passes, remaining: Math.max(0, limit - held), nextMs }
      return passes || weight === 1 ? taken : { ...taken, roomMs: ring.leavesIn(held + weight - limit - 1, now) }
    },
    isFull({ name, limit }, weight) {
      const now = clock.monotonic()
      return rings.get(name, now).countAt(now) + weight > limit
    },
  }
}
