/** Runs work in the background: a bounded number at once, of which one tenant has no more than its share. */

export interface FairRuns {
  /** Runs it once there is room; nothing where the key has a run already. `work` does not reject. */
  start(tenant: string, key: string, work: () => Promise<void>): void
  has(key: string): boolean
  /** Resolves once nothing runs or waits. */
  settled(): Promise<void>
  /** Resolves once nothing runs. What waits is dropped. Idempotent. */
  close(): Promise<void>
}

interface Run {
  readonly tenant: string
  readonly key: string
  readonly work: () => Promise<void>
}

export function createFairRuns(most: number, mostOfTenant: number): FairRuns {
  const keys = new Set<string>()
  const running = new Map<Run, Promise<void>>()
  let waiting: Run[] = []

  const runsOf = (tenant: string) => [...running.keys()].filter(run => run.tenant === tenant).length

  function next(): void {
    while (running.size < most) {
      const run = waiting.find(({ tenant }) => runsOf(tenant) < mostOfTenant)
      if (run === undefined) return
      waiting = waiting.filter(one => one !== run)
      const ended = run.work().finally(() => {
        running.delete(run)
        keys.delete(run.key)
        next()
      })
      running.set(run, ended)
    }
  }

  return {
    start(tenant, key, work) {
      if (keys.has(key)) return
      keys.add(key)
      waiting.push({ tenant, key, work })
      next()
    },
    has: key => keys.has(key),
    async settled() {
      while (running.size > 0) await Promise.all(running.values())
    },
    async close() {
      for (const { key } of waiting) keys.delete(key)
      waiting = []
      await Promise.all(running.values())
    },
  }
}
