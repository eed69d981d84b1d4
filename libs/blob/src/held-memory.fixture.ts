/**
 * How much more this process holds. Whoever measures does so in a file, and so a process, of its own: what other tests
 * have left free would hide what is taken here.
 */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export const MIB = 1024 * 1024

export interface HeldMemory {
  /** Measures now; the most that was seen counts. */
  look(): void
  /** Says the most that was held since the beginning; fails when it is `limit` MiB or more. */
  check(what: string): void
}

export function heldMemory(t: TestContext, limit: number): HeldMemory {
  // Node collects tens of MiB late, whatever is done: here only what is held counts.
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  const resident = () => {
    for (let twice = 0; twice < 2; twice++) collect()
    return process.memoryUsage.rss()
  }
  const before = resident()
  let most = before
  return {
    look() {
      most = Math.max(most, resident())
    },
    check(what) {
      const more = (most - before) / MIB
      t.diagnostic(`${what}: ${more.toFixed(1)} MiB`)
      assert.ok(more < limit, `${what}: ${more} MiB`)
    },
  }
}
