/**
 * The work of one pool that can be claimed now, in memory: round robin over tenants by weight, by rank and age within
 * a tenant, the same group together. It is only a window on the store: what does not fit stays there.
 */
import { Deque } from './deque.ts'

export interface Ready {
  readonly tenant: string
  readonly id: string
  readonly group: string
  readonly rank: number
  readonly alone: boolean
}

export interface ReadyQueueOptions {
  /** How many turns a tenant has in a round: its plan's weight, 1 or more. */
  readonly weight: (tenant: string) => number
  /** How many pieces of work of the group share a run at most. */
  readonly maxBatch: (group: string) => number
  /** How many pieces of one tenant are held; beyond that `isFull`. */
  readonly window: number
}

const none: ReadonlySet<string> = new Set()

interface Entry extends Ready {
  /** Age within the tenant. */
  readonly sequence: number
  taken: boolean
}

/** One tenant's work: per rank, per group, by age. */
interface Line {
  readonly tenant: string
  readonly ranks: readonly Map<string, Deque<Entry>>[]
  size: number
  turnsLeft: number
  inRing: boolean
  /** The store holds more than the window. */
  overflowed: boolean
}

export class ReadyQueue {
  readonly #options: ReadyQueueOptions
  readonly #lines = new Map<string, Line>()
  /** Tenants that have work, in the order of their turns. */
  readonly #ring = new Deque<Line>()
  readonly #entries = new Map<string, Entry>()
  #sequence = 0

  constructor(options: ReadyQueueOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#entries.size
  }

  /** Adds work at the end of its rank; nothing happens when it is there. False: the tenant's window is full. */
  offer(ready: Ready): boolean {
    if (this.#entries.has(ready.id)) return true
    const line = this.#line(ready.tenant)
    if (line.overflowed || line.size >= this.#options.window) {
      line.overflowed = true
      return false
    }
    this.#append(line, ready)
    return true
  }

  /** Adds work read from the store, in its order, into a window that has overflowed. `more`: the store has still more. */
  refill(tenant: string, work: readonly Ready[], more: boolean): void {
    const line = this.#line(tenant)
    for (const ready of work) if (!this.#entries.has(ready.id)) this.#append(line, ready)
    line.overflowed = more
  }

  /** Tenants whose window is half empty while the store holds more. */
  hungry(): string[] {
    return [...this.#lines.values()]
      .filter(line => line.overflowed && line.size <= this.#options.window / 2)
      .map(line => line.tenant)
  }

  /** Work that was cancelled or expired before anyone took it. */
  withdraw(id: string): void {
    const entry = this.#entries.get(id)
    const line = entry && this.#lines.get(entry.tenant)
    if (entry && line) this.#forget(line, entry)
  }

  /** Takes up to `runs` runs: each the work of one group that is not `busy`, at most as much as shares a run. */
  take(runs: number, busy: ReadonlySet<string> = none): Ready[][] {
    const taken: Ready[][] = []
    while (taken.length < runs) {
      const run = this.#takeRun(busy)
      if (!run) break
      taken.push(run)
    }
    return taken
  }

  /** About how much work runs before this; undefined when it is not in the window. */
  position(id: string): number | undefined {
    const entry = this.#entries.get(id)
    const line = entry && this.#lines.get(entry.tenant)
    if (!entry || !line) return undefined
    const oldest = this.#head(line, none)?.sequence ?? entry.sequence
    const ahead = Math.min(Math.max(0, entry.sequence - oldest), line.size - 1)
    return ahead * Math.max(1, this.#ring.length)
  }

  /** How much of the tenant's work is in the window. */
  sizeOf(tenant: string): number {
    return this.#lines.get(tenant)?.size ?? 0
  }

  #takeRun(busy: ReadonlySet<string>): Ready[] | undefined {
    for (let tried = 0; tried <= this.#ring.length; tried++) {
      const line = this.#nextLine()
      if (!line) return undefined
      const first = this.#head(line, busy)
      if (!first) continue
      const run = [this.#takeEntry(line, first)]
      if (!first.alone) this.#fill(run, first.group)
      return run
    }
    return undefined
  }

  /** Fills a run with work of the same group, one tenant after the other. */
  #fill(run: Ready[], group: string): void {
    const room = this.#options.maxBatch(group)
    let idle = 0
    while (run.length < room && this.#ring.length > 0 && idle < this.#ring.length) {
      const line = this.#nextLine()
      const entry = line && this.#companion(line, group)
      if (line && entry) {
        run.push(this.#takeEntry(line, entry))
        idle = 0
      } else idle++
    }
  }

  /** The tenant whose turn it is. One whose turns are used up goes to the end of the ring. */
  #nextLine(): Line | undefined {
    for (;;) {
      const line = this.#ring.first()
      if (!line) return undefined
      if (line.size === 0) {
        this.#ring.shift()
        line.inRing = false
        if (!line.overflowed) this.#lines.delete(line.tenant)
        continue
      }
      if (line.turnsLeft > 0) {
        line.turnsLeft--
        if (line.turnsLeft === 0) {
          this.#ring.shift()
          line.turnsLeft = this.#options.weight(line.tenant)
          this.#ring.push(line)
        }
        return line
      }
      line.turnsLeft = this.#options.weight(line.tenant)
    }
  }

  /** The tenant's next piece of work whose group is not busy: lowest rank, then oldest. */
  #head(line: Line, busy: ReadonlySet<string>): Entry | undefined {
    for (const groups of line.ranks) {
      let oldest: Entry | undefined
      for (const [group, deque] of groups) {
        const entry = firstLive(deque)
        if (!entry) groups.delete(group)
        else if (!busy.has(group) && (!oldest || entry.sequence < oldest.sequence)) oldest = entry
      }
      if (oldest) return oldest
    }
    return undefined
  }

  #companion(line: Line, group: string): Entry | undefined {
    for (const groups of line.ranks) {
      const deque = groups.get(group)
      const entry = deque && firstLive(deque)
      if (entry) return entry.alone ? undefined : entry
    }
    return undefined
  }

  #takeEntry(line: Line, entry: Entry): Ready {
    this.#forget(line, entry)
    return entry
  }

  #forget(line: Line, entry: Entry): void {
    entry.taken = true
    line.size--
    this.#entries.delete(entry.id)
  }

  #append(line: Line, ready: Ready): void {
    const entry: Entry = { ...ready, sequence: this.#sequence++, taken: false }
    const groups = line.ranks[ready.rank]
    if (!groups) throw new Error(`rank ${ready.rank} is not 0, 1 or 2`)
    const deque = groups.get(ready.group)
    if (deque) deque.push(entry)
    else groups.set(ready.group, new Deque<Entry>(entry))
    this.#entries.set(ready.id, entry)
    line.size++
    if (!line.inRing) {
      line.inRing = true
      this.#ring.push(line)
    }
  }

  #line(tenant: string): Line {
    let line = this.#lines.get(tenant)
    if (!line) {
      line = {
        tenant,
        ranks: [new Map(), new Map(), new Map()],
        size: 0,
        turnsLeft: this.#options.weight(tenant),
        inRing: false,
        overflowed: false,
      }
      this.#lines.set(tenant, line)
    }
    return line
  }
}

function firstLive(deque: Deque<Entry>): Entry | undefined {
  for (;;) {
    const entry = deque.first()
    if (!entry?.taken) return entry
    deque.shift()
  }
}
