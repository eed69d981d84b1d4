/**
 * The work of one pool that can be claimed now, in memory: in turns over tenants by weight, by rank and age within a
 * tenant, the same group together. It is only a window on the store: what does not fit stays there.
 *
 * Turns are those of start-time fair queueing (Goyal, Vin and Cheng, 1996): a tenant's next turn comes 1 / weight after
 * its last, in a time that stands at the last turn taken, and whoever comes with work has a turn at once. So a backlog
 * never holds up another tenant's first piece, and turns that could not be taken are not saved up.
 */
import { Tally } from './tally.ts'
import { type Entry, type Ready, TenantLine } from './tenant-line.ts'

export type { Ready, Share } from './tenant-line.ts'

export interface ReadyQueueOptions {
  /** How many pieces of a tenant's work are leased: it gets none beyond its share. */
  readonly running: (tenant: string) => number
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
  readonly #waiting: TenantLine[] = []
  /** Tenants that have none, and whose next turn is yet to come. */
  readonly #idle = new Set<TenantLine>()
  /** Tenants that were passed over because as much of their work runs as may. */
  readonly #full = new Set<string>()
  readonly #entries = new Map<string, Entry>()
  #sequence = 0
  /** When the last turn was taken. */
  #time = 0

  constructor(options: ReadyQueueOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#entries.size
  }

  /** How many tenants it knows of. */
  get tenants(): number {
    return this.#lines.size
  }

  /** Adds work at the end of its rank; nothing happens when it is there. False: it stays in the store for now. */
  offer(ready: Ready): boolean {
    if (this.#entries.has(ready.id)) return true
    const line = this.#lineOf(ready.tenant)
    const entry = { ...ready, sequence: this.#sequence++, gone: false }
    if (!line.add(entry)) {
      this.#overflowed.add(line)
      return false
    }
    this.#entries.set(ready.id, entry)
    if (!line.isWaiting) {
      line.turnAt = Math.max(line.turnAt, this.#time)
      this.#wait(line)
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
      if (line.overflowed) continue
      this.#overflowed.delete(line)
      if (!line.isWaiting) this.#leave(line)
    }
    return refills
  }

  /** The store has more of this than was read. */
  more({ tenant, rank }: Refill): void {
    const line = this.#lineOf(tenant)
    line.setOverflowed(rank, true)
    this.#overflowed.add(line)
  }

  /** Work that was cancelled or expired before anyone took it. */
  withdraw(id: string): void {
    const entry = this.#entries.get(id)
    const line = entry && this.#lines.get(entry.tenant)
    if (line) this.#take(line, entry)
  }

  /**
   * Takes up to `runs` runs: each the work of one group that is not `busy`, at most as much as shares a run. No two are
   * of one group: whether there is room for a second one only its executor knows, and it asks again.
   */
  take(runs: number, busy: ReadonlySet<string> = none): Ready[][] {
    const taken: Ready[][] = []
    const full = new Set(busy)
    const tally = new Tally()
    while (taken.length < runs) {
      const run = this.#takeRun(full, tally)
      if (!run) break
      taken.push(run)
      full.add(run[0]?.group ?? '')
    }
    return taken
  }

  /** Whether a tenant was passed over, since this was asked last, because as much of its work ran as may. */
  wasFull(tenant: string): boolean {
    return this.#full.delete(tenant)
  }

  /** About how much work runs before this; undefined when it is not in the window. */
  position(id: string): number | undefined {
    const entry = this.#entries.get(id)
    const line = entry && this.#lines.get(entry.tenant)
    if (!entry || !line) return undefined
    const oldest = line.head(none)?.sequence ?? entry.sequence
    const ahead = Math.min(Math.max(0, entry.sequence - oldest), line.size - 1)
    return ahead * Math.max(1, this.#waiting.length)
  }

  #takeRun(busy: ReadonlySet<string>, taken: Tally): Ready[] | undefined {
    for (let place = 0; place < this.#waiting.length; ) {
      const line = this.#waiting[place] as TenantLine
      if (line.size === 0) {
        this.#waiting.splice(place, 1)
        this.#leave(line)
        continue
      }
      const first = this.#hasRoom(line, taken) ? line.head(busy) : undefined
      if (!first) {
        place++
        continue
      }
      this.#waiting.splice(place, 1)
      this.#passTime(Math.max(this.#time, line.turnAt))
      line.turnAt = this.#time + 1 / line.share.weight
      this.#wait(line)
      const run = [this.#take(line, first)]
      taken.add(line.tenant, 1)
      if (!first.alone) this.#fill(run, first.group, taken)
      return run
    }
    if (this.#waiting.length === 0) for (const line of [...this.#idle]) this.#forget(line) // There is nobody to wait for.
    return undefined
  }

  #hasRoom({ tenant, share }: TenantLine, taken: Tally): boolean {
    if (share.mostRunning === Number.POSITIVE_INFINITY) return true
    if (this.#options.running(tenant) + taken.of(tenant) < share.mostRunning) return true
    this.#full.add(tenant)
    return false
  }

  /** Puts a tenant in the order of turns, behind those of the same time. */
  #wait(line: TenantLine): void {
    line.isWaiting = true
    this.#idle.delete(line)
    let [from, to] = [0, this.#waiting.length]
    while (from < to) {
      const middle = (from + to) >>> 1
      if ((this.#waiting[middle] as TenantLine).turnAt <= line.turnAt) from = middle + 1
      else to = middle
    }
    this.#waiting.splice(from, 0, line)
  }

  /** A tenant without work is forgotten once its turn would have come: until then it gets none sooner by coming anew. */
  #leave(line: TenantLine): void {
    line.isWaiting = false
    if (line.turnAt > this.#time) this.#idle.add(line)
    else this.#forget(line)
  }

  #passTime(time: number): void {
    const isLater = Math.floor(time) > Math.floor(this.#time) // Once for all that pass in a unit.
    this.#time = time
    if (isLater) for (const line of [...this.#idle]) if (line.turnAt <= time) this.#forget(line)
  }

  #forget(line: TenantLine): void {
    this.#idle.delete(line)
    if (line.overflowed) return
    this.#full.delete(line.tenant)
    this.#lines.delete(line.tenant)
  }

  /** Fills a run with work of the same group, one tenant after the other. It costs them no turn: the run is on anyway. */
  #fill(run: Ready[], group: string, taken: Tally): void {
    const room = this.#options.maxBatch(group)
    for (let found = true; found && run.length < room; ) {
      found = false
      for (const line of this.#waiting) {
        if (run.length >= room) break
        const entry = line.companion(group)
        if (!entry || !this.#hasRoom(line, taken)) continue
        run.push(this.#take(line, entry))
        taken.add(line.tenant, 1)
        found = true
      }
    }
  }

  #take(line: TenantLine, entry: Entry): Ready {
    line.remove(entry)
    this.#entries.delete(entry.id)
    return entry
  }

  #lineOf(tenant: string): TenantLine {
    const known = this.#lines.get(tenant)
    if (known) return known
    const line = new TenantLine(tenant, this.#options.window)
    this.#lines.set(tenant, line)
    return line
  }
}

const none: ReadonlySet<string> = new Set()
