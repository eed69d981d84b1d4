/**
 * How many tasks of batches may be made: they have half of an account's queue, so that single ones always have room. One
 * replica never makes too many. Several can be over by the tasks that the others are making at the moment.
 */
import { KeyedMutex } from '@millhand/process'

export interface BatchRoom {
  /**
   * Calls `make` with how many of `wanted` tasks have room, beside those that wait and those that other calls are making.
   * `most` tasks of batches may wait; `count` tells how many do.
   */
  reserve<R>(
    tenant: string,
    request: { readonly wanted: number; readonly most: number; readonly count: () => Promise<number> },
    make: (taken: number) => Promise<R>,
  ): Promise<R>
}

export function createBatchRoom(): BatchRoom {
  const mutex = new KeyedMutex()
  const reserved = new Map<string, number>()
  const add = (tenant: string, tasks: number) => {
    const sum = (reserved.get(tenant) ?? 0) + tasks
    if (sum === 0) reserved.delete(tenant)
    else reserved.set(tenant, sum)
  }
  return {
    async reserve(tenant, { wanted, most, count }, make) {
      const taken = await mutex.runExclusive(tenant, async () => {
        // Those that are stored during the count may be missing in it.
        const before = reserved.get(tenant) ?? 0
        const taken = Math.min(wanted, Math.max(0, most - before - (await count())))
        add(tenant, taken)
        return taken
      })
      try {
        return await make(taken)
      } finally {
        add(tenant, -taken)
      }
    },
  }
}
