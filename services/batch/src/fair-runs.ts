/** Runs work in the background: a bounded number at once, of which one tenant has no more than its share. */

export interface FairRuns {
  /** Runs it once there is room; nothing where the key has a run already. `work` does not reject. */
  start(tenant: string, key: string, work: () => Promise<void>): void
  has(key: string): boolean
  /** Resolves once nothing runs or waits. */
  settled(): Promise<void>
  /** Resolves once nothing runs. What waits is dropped, and nothing is started any more. Idempotent. */
  close(): Promise<void>
}

interface Run {
  readonly tenant: string
  readonly key: string
  readonly work: () => Promise<void>
}

export function createFairRuns(most: number, mostOfTenant: number): FairRuns {
  const keys = new Set<string>()
  const running = new Set<Promise<void>>()
  const runsOf = new Map<string, number>()
  const waiting: Run[] = []
  let isClosed = false

  const hasRoom = ({ tenant }: Run) => running.size < most && (runsOf.get(tenant) ?? 0) < mostOfTenant

  function begin(run: Run): void {
    runsOf.set(run.tenant, (runsOf.get(run.tenant) ?? 0) + 1)
    const ended = run.work().finally(() => {
      running.delete(ended)
      keys.delete(run.key)
      const left = (runsOf.get(run.tenant) ?? 1) - 1
      if (left > 0) runsOf.set(run.tenant, left)
      else runsOf.delete(run.tenant)
      beginNext()
    })
    running.add(ended)
  }

  function beginNext(): void {
    const at = waiting.findIndex(hasRoom)
    const [run] = at < 0 ? [] : waiting.splice(at, 1)
    if (run) begin(run)
  }

  return {
    start(tenant, key, work) {
      if (isClosed || keys.has(key)) return
      keys.add(key)
      const run = { tenant, key, work }
      if (hasRoom(run)) begin(run)
      else waiting.push(run)
    },
    has: key => keys.has(key),
    async settled() {
      while (running.size > 0) await Promise.all(running)
    },
    async close() {
      isClosed = true
      for (const { key } of waiting) keys.delete(key)
      waiting.length = 0
      await Promise.all(running)
    },
  }
}
