/**
 * The work of one pool that can be claimed now, in memory: round robin over tenants by weight, by rank and age within
 * a tenant, the same group together. It is only a window on the store: what does not fit stays there.
 */
import { Deque } from './deque.ts'
import { type Entry, type Ready, TenantLine } from './tenant-line.ts'

export type { Ready } from './tenant-line.ts'

export interface ReadyQueueOptions {
  /** How many turns a tenant has in a round: its plan's weight, 1 or more. */
  readonly weight: (tenant: string) => number
  /** How many pieces of work of the group share a run at most. */
  readonly maxBatch: (group: string) => number
  /** How many pieces of one tenant and rank are held. */
  readonly window: number
}

/** A part of the store that is to be read again: its first `window` pieces of work. */
export interface Refill {
  readonly tenant: string
  readonly rank: number
}

export class ReadyQueue {
  readonly #options: ReadyQueueOptions
  readonly #lines = new Map<string, TenantLine>()
  readonly #overflowed = new Set<TenantLine>()
  /** Tenants that have work, in the order of their turns. */
  readonly #ring = new Deque<TenantLine>()
  readonly #entries = new Map<string, Entry>()
  #sequence = 0

  constructor(options: ReadyQueueOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#entries.size
  }

  /** Adds work at the end of its rank; nothing happens when it is there. False: it stays in the store for now. */
  offer(ready: Ready): boolean {
    if (this.#entries.has(ready.id)) return true
    const line = this.#line(ready.tenant)
    const entry = { ...ready, sequence: this.#sequence++, gone: false }
    if (!line.add(entry)) {
      this.#overflowed.add(line)
      return false
    }
    this.#entries.set(ready.id, entry)
    if (!line.inRing) {
      line.inRing = true
      line.turnsLeft = this.#options.weight(line.tenant)
      this.#ring.push(line)
    }
    return true
  }

  /**
   * What is to be read from the store now, because its window has half emptied. From this call on new work of it is
   * taken up again, so that none falls between the reading and its end: say what was read with `offer`, and with `more`
   * where the window did not hold all of it.
   */
  beginRefills(): Refill[] {
    const refills: Refill[] = []
    for (const line of this.#overflowed) {
      for (const rank of line.refillable()) {
        line.setOverflowed(rank, false)
        refills.push({ tenant: line.tenant, rank })
      }
      if (!line.overflowed) this.#overflowed.delete(line)
    }
    return refills
  }

  /** The store has more of this than was read. */
  more({ tenant, rank }: Refill): void {
    const line = this.#line(tenant)
    line.setOverflowed(rank, true)
    this.#overflowed.add(line)
  }

  /** Work that was cancelled or expired before anyone took it. */
  withdraw(id: string): void {
    const entry = this.#entries.get(id)
    if (entry) this.#take(this.#line(entry.tenant), entry)
  }

  /**
   * Takes up to `runs` runs: each the work of one group that is not `busy`, at most as much as shares a run. No two are
   * of one group: whether there is room for a second one only its executor knows, and it asks again.
   */
  take(runs: number, busy: ReadonlySet<string> = none): Ready[][] {
    const taken: Ready[][] = []
    const full = new Set(busy)
    while (taken.length < runs) {
      const run = this.#takeRun(full)
      if (!run) break
      taken.push(run)
      full.add(run[0]?.group ?? '')
    }
    return taken
  }

  /** About how much work runs before this; undefined when it is not in the window. */
  position(id: string): number | undefined {
    const entry = this.#entries.get(id)
    const line = entry && this.#lines.get(entry.tenant)
    if (!entry || !line) return undefined
    const oldest = line.head(none)?.sequence ?? entry.sequence
    const ahead = Math.min(Math.max(0, entry.sequence - oldest), line.size - 1)
    return ahead * Math.max(1, this.#ring.length)
  }

  #takeRun(busy: ReadonlySet<string>): Ready[] | undefined {
    for (let tried = this.#ring.length; tried > 0; tried--) {
      const line = this.#ring.at(0)
      const first = line?.head(busy)
      if (line && first) {
        this.#spendTurn(line)
        const run = [this.#take(line, first)]
        if (!first.alone) this.#fill(run, first.group)
        return run
      }
      this.#ring.shift()
      if (line) this.#putBack(line)
    }
    return undefined
  }

  /** A tenant whose work is all for busy groups waits for its next turn; one without any leaves. */
  #putBack(line: TenantLine): void {
    if (line.size > 0) this.#ring.push(line)
    else {
      line.inRing = false
      if (!line.overflowed) this.#lines.delete(line.tenant)
    }
  }

  #spendTurn(line: TenantLine): void {
    line.turnsLeft--
    if (line.turnsLeft > 0) return
    line.turnsLeft = this.#options.weight(line.tenant)
    this.#ring.shift()
    this.#ring.push(line)
  }

  /** Fills a run with work of the same group, one tenant after the other. It costs them no turn: the run is on anyway. */
  #fill(run: Ready[], group: string): void {
    const room = this.#options.maxBatch(group)
    for (let found = true; found && run.length < room; ) {
      found = false
      for (let place = 0; place < this.#ring.length && run.length < room; place++) {
        const line = this.#ring.at(place)
        const entry = line?.companion(group)
        if (!line || !entry) continue
        run.push(this.#take(line, entry))
        found = true
      }
    }
  }

  #take(line: TenantLine, entry: Entry): Ready {
    line.remove(entry)
    this.#entries.delete(entry.id)
    return entry
  }

  #line(tenant: string): TenantLine {
    const known = this.#lines.get(tenant)
    if (known) return known
    const line = new TenantLine(tenant, this.#options.window)
    this.#lines.set(tenant, line)
    return line
  }
}

const none: ReadonlySet<string> = new Set()
