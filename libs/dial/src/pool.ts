/** Connections that are kept between posts, each for one partition and one target. */
import type { Clock, Timer } from '@millhand/process'
import type { Connection } from './connection.ts'
import { DialFailure } from './failure.ts'

export interface Pool {
  /**
   * A connection for one post; whoever has it releases it. Waits while as many are open as may be, and fails with
   * `no_sockets` when that outlasts the post's time.
   */
  acquire(request: ConnectionRequest, signal: AbortSignal): Promise<AcquiredConnection>
  /** Closes what is open, whether lent or not, and resolves when all of it is. */
  close(): Promise<void>
}

interface ConnectionRequest {
  /** Connections are never shared between partitions. */
  readonly partition: string
  /** Nor between targets within one. */
  readonly target: string
  /** Whether one that was used before will not do. */
  readonly isFresh: boolean
  open(signal: AbortSignal): Promise<Connection>
  /** Called when it had to wait and its turn has come. */
  onTurn(): void
}

interface AcquiredConnection {
  readonly connection: Connection
  release(): void
}

export interface PoolOptions {
  readonly clock: Clock
  /** How many connections are open at once: of all, and of a partition. */
  readonly maxSockets: number
  readonly maxSocketsPerPartition: number
}

/** However busy a connection is, it ends at this age: its name may mean another address by then. */
const LONGEST_LIFE_MS = 300_000
const SWEEP_MS = 500

interface Entry {
  readonly partition: Partition
  readonly target: string
  readonly bornAt: number
  /** Not there while it is being opened. */
  connection?: Connection
  lent: number
  idleSince: number
}

interface Partition {
  readonly name: string
  readonly entries: Set<Entry>
  readonly waiting: Waiter[]
}

interface Waiter {
  readonly request: ConnectionRequest
  readonly signal: AbortSignal
  resolve(lent: AcquiredConnection): void
  reject(error: unknown): void
}

export function createPool({ clock, maxSockets, maxSocketsPerPartition }: PoolOptions): Pool {
  /** Those that have an entry, or wait for one. */
  const partitions = new Map<string, Partition>()
  const all = new Set<Entry>()
  /** On which nothing is under way; the longest idle is first. */
  const idle = new Set<Entry>()
  /** Who waits, in their turn: a partition that was served goes to the end. */
  const line = new Set<Partition>()
  const open = new Set<Connection>()
  let sweep: Timer | undefined

  return {
    acquire(request, signal) {
      const partition = partitions.get(request.partition) ?? {
        name: request.partition,
        entries: new Set(),
        waiting: [],
      }
      return new Promise((resolve, reject) => {
        const waiter = { request, signal, resolve, reject }
        if (!line.has(partition) && serve(partition, waiter)) return
        partitions.set(partition.name, partition)
        partition.waiting.push(waiter)
        line.add(partition)
        signal.addEventListener('abort', () => leave(partition, waiter), { once: true })
      })
    },
    async close() {
      sweep?.cancel()
      for (const entry of all) drop(entry)
      await Promise.all([...open].map(({ closed }) => closed))
    },
  }

  /** Lends a kept connection, or a new one where there may be one more; false when who asks has to wait. */
  function serve(partition: Partition, waiter: Waiter): boolean {
    const { isFresh, target } = waiter.request
    const kept = isFresh ? undefined : keptFor(partition, target)
    if (kept !== undefined) {
      waiter.resolve(lent(kept))
      return true
    }
    if (partition.entries.size >= maxSocketsPerPartition && !dropOldest(partition.entries)) return false
    if (all.size >= maxSockets && !dropOldest(idle)) return false
    void openFor(partition, waiter)
    return true
  }

  /** The newest that will do, so that the others get idle for long enough to be closed. */
  function keptFor(partition: Partition, target: string): Entry | undefined {
    const now = clock.monotonic()
    return [...partition.entries].findLast(
      entry => entry.target === target && entry.lent < (entry.connection?.takes ?? 0) && !isOver(entry, now),
    )
  }

  async function openFor(partition: Partition, { request, signal, resolve, reject }: Waiter) {
    const entry: Entry = { partition, target: request.target, bornAt: clock.monotonic(), lent: 0, idleSince: 0 }
    partitions.set(partition.name, partition)
    partition.entries.add(entry)
    all.add(entry)
    try {
      const connection = await request.open(signal)
      entry.connection = connection
      open.add(connection)
      void connection.closed.then(() => {
        open.delete(connection)
        drop(entry)
        serveLine()
      })
      resolve(lent(entry))
    } catch (error) {
      drop(entry)
      serveLine()
      reject(error)
    }
  }

  function lent(entry: Entry): AcquiredConnection {
    const connection = entry.connection as Connection
    idle.delete(entry)
    entry.lent++
    return { connection, release: () => release(entry, connection) }
  }

  function release(entry: Entry, connection: Connection) {
    entry.lent--
    if (entry.lent === 0) {
      entry.idleSince = clock.monotonic()
      if (connection.takes === 0 || isOver(entry, entry.idleSince)) drop(entry)
      else if (all.has(entry)) idle.add(entry)
      sweep ??= clock.timer(SWEEP_MS, sweepIdle)
    }
    serveLine()
  }

  function drop(entry: Entry) {
    if (!all.delete(entry)) return
    idle.delete(entry)
    entry.partition.entries.delete(entry)
    forgetEmpty(entry.partition)
    entry.connection?.destroy()
  }

  function dropOldest(entries: Set<Entry>): boolean {
    for (const entry of entries) {
      if (!idle.has(entry)) continue
      drop(entry)
      return true
    }
    return false
  }

  function sweepIdle() {
    const now = clock.monotonic()
    for (const entry of idle) if (isOver(entry, now)) drop(entry)
    sweep = idle.size > 0 ? clock.timer(SWEEP_MS, sweepIdle) : undefined
    serveLine()
  }

  function serveLine() {
    for (const partition of line) {
      const [first] = partition.waiting
      if (first === undefined || !serve(partition, first)) continue
      first.request.onTurn()
      partition.waiting.shift()
      line.delete(partition)
      if (partition.waiting.length > 0) line.add(partition)
    }
  }

  function leave(partition: Partition, waiter: Waiter) {
    const at = partition.waiting.indexOf(waiter)
    if (at === -1) return
    partition.waiting.splice(at, 1)
    if (partition.waiting.length === 0) line.delete(partition)
    forgetEmpty(partition)
    const { reason } = waiter.signal
    const isLate = reason instanceof DialFailure && reason.code === 'timeout'
    waiter.reject(isLate ? new DialFailure('no_sockets', 'every connection that may be open was in use') : reason)
  }

  function forgetEmpty({ name, entries, waiting }: Partition) {
    if (entries.size === 0 && waiting.length === 0) partitions.delete(name)
  }
}

function isOver({ bornAt, lent, idleSince, connection }: Entry, now: number): boolean {
  return now - bornAt >= LONGEST_LIFE_MS || (lent === 0 && now - idleSince >= (connection?.keepMs ?? 0))
}
