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
  /** Undefined while a post is under way. */
  idleSince: number | undefined
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

export function createPool(options: PoolOptions): Pool {
  return new ConnectionPool(options)
}

class ConnectionPool implements Pool {
  readonly #options: PoolOptions
  /** Those that have an entry, or wait for one. */
  readonly #partitions = new Map<string, Partition>()
  readonly #all = new Set<Entry>()
  /** On which nothing is under way; the longest idle is first. */
  readonly #idle = new Set<Entry>()
  /** Who waits, in their turn: a partition that was served goes to the end. */
  readonly #line = new Set<Partition>()
  readonly #open = new Set<Connection>()
  #sweep: Timer | undefined

  constructor(options: PoolOptions) {
    this.#options = options
  }

  acquire(request: ConnectionRequest, signal: AbortSignal): Promise<AcquiredConnection> {
    const partition = this.#partitions.get(request.partition) ?? {
      name: request.partition,
      entries: new Set(),
      waiting: [],
    }
    return new Promise((resolve, reject) => {
      const waiter = { request, signal, resolve, reject }
      if (!this.#line.has(partition) && this.#serve(partition, waiter)) return
      this.#partitions.set(partition.name, partition)
      partition.waiting.push(waiter)
      this.#line.add(partition)
      signal.addEventListener('abort', () => this.#leave(partition, waiter), { once: true })
    })
  }

  async close(): Promise<void> {
    this.#sweep?.cancel()
    for (const entry of this.#all) this.#drop(entry)
    await Promise.all([...this.#open].map(({ closed }) => closed))
  }

  /** Lends a kept connection, or a new one where there may be one more; false when who asks has to wait. */
  #serve(partition: Partition, waiter: Waiter): boolean {
    const { isFresh, target } = waiter.request
    const kept = isFresh ? undefined : this.#keptFor(partition, target)
    if (kept !== undefined) {
      waiter.resolve(this.#lent(kept))
      return true
    }
    if (partition.entries.size >= this.#options.maxSocketsPerPartition && !this.#dropOldest(partition.entries))
      return false
    if (this.#all.size >= this.#options.maxSockets && !this.#dropOldest(this.#idle)) return false
    void this.#openFor(partition, waiter)
    return true
  }

  /** The newest idle one, so that the others get idle for long enough to be closed. */
  #keptFor(partition: Partition, target: string): Entry | undefined {
    const now = this.#options.clock.monotonic()
    return [...partition.entries].findLast(
      entry => entry.target === target && this.#idle.has(entry) && entry.connection?.isOpen && !isOver(entry, now),
    )
  }

  async #openFor(partition: Partition, { request, signal, resolve, reject }: Waiter): Promise<void> {
    const bornAt = this.#options.clock.monotonic()
    const entry: Entry = { partition, target: request.target, bornAt, idleSince: undefined }
    this.#partitions.set(partition.name, partition)
    partition.entries.add(entry)
    this.#all.add(entry)
    try {
      const connection = await request.open(signal)
      entry.connection = connection
      this.#open.add(connection)
      void connection.closed.then(() => {
        this.#open.delete(connection)
        this.#drop(entry)
        this.#serveLine()
      })
      resolve(this.#lent(entry))
    } catch (error) {
      this.#drop(entry)
      this.#serveLine()
      reject(error)
    }
  }

  #lent(entry: Entry): AcquiredConnection {
    const connection = entry.connection as Connection
    this.#idle.delete(entry)
    entry.idleSince = undefined
    return { connection, release: () => this.#release(entry, connection) }
  }

  #release(entry: Entry, connection: Connection): void {
    const now = this.#options.clock.monotonic()
    entry.idleSince = now
    if (!connection.isOpen || isOver(entry, now)) this.#drop(entry)
    else if (this.#all.has(entry)) this.#idle.add(entry)
    this.#sweep ??= this.#options.clock.timer(SWEEP_MS, () => this.#sweepIdle())
    this.#serveLine()
  }

  #drop(entry: Entry): void {
    if (!this.#all.delete(entry)) return
    this.#idle.delete(entry)
    entry.partition.entries.delete(entry)
    this.#forgetEmpty(entry.partition)
    entry.connection?.destroy()
  }

  #dropOldest(entries: Set<Entry>): boolean {
    for (const entry of entries) {
      if (!this.#idle.has(entry)) continue
      this.#drop(entry)
      return true
    }
    return false
  }

  #sweepIdle(): void {
    const now = this.#options.clock.monotonic()
    for (const entry of this.#idle) if (isOver(entry, now)) this.#drop(entry)
    this.#sweep = this.#idle.size > 0 ? this.#options.clock.timer(SWEEP_MS, () => this.#sweepIdle()) : undefined
    this.#serveLine()
  }

  #serveLine(): void {
    for (const partition of this.#line) {
      const [first] = partition.waiting
      if (first === undefined || !this.#serve(partition, first)) continue
      first.request.onTurn()
      partition.waiting.shift()
      this.#line.delete(partition)
      if (partition.waiting.length > 0) this.#line.add(partition)
    }
  }

  #leave(partition: Partition, waiter: Waiter): void {
    const at = partition.waiting.indexOf(waiter)
    if (at === -1) return
    partition.waiting.splice(at, 1)
    if (partition.waiting.length === 0) this.#line.delete(partition)
    this.#forgetEmpty(partition)
    const { reason } = waiter.signal
    const isLate = reason instanceof DialFailure && reason.code === 'timeout'
    waiter.reject(isLate ? new DialFailure('no_sockets', 'every connection that may be open was in use') : reason)
  }

  #forgetEmpty({ name, entries, waiting }: Partition): void {
    if (entries.size === 0 && waiting.length === 0) this.#partitions.delete(name)
  }
}

function isOver({ bornAt, idleSince, connection }: Entry, now: number): boolean {
  return now - bornAt >= LONGEST_LIFE_MS || (idleSince !== undefined && now - idleSince >= (connection?.keepMs ?? 0))
}
