/**
 * The work of one pool that can be claimed now, in memory: in turns over lines (tenants, say) by weight, by rank and age
 * within a line, the same group together. It is only a window on the store: what does not fit stays there.
 *
 * Turns are those of start-time fair queueing (Goyal, Vin and Cheng, 1996): a line's next turn comes 1 / weight after
 * its last, in a time that stands at the last turn taken, and whoever comes with work has a turn at once. So a backlog
 * never holds up another line's first piece, and turns that could not be taken are not saved up.
 *
 * A line that may not run more is parked until it may, so a claim looks at none of those that it can't take from.
 */
import { type Entry, Line, type Ready } from './line.ts'
import { Tally } from './tally.ts'

export type { Ready, Share } from './line.ts'

/** What bounds how much work runs at once: a line's own share has its line as the key. */
export interface Cap {
  readonly key: string
  readonly mostRunning: number
}

export interface ReadyQueueOptions {
  /** How many pieces of work are leased under the key of a cap. */
  readonly running: (key: string) => number
  /** What bounds a line beside its share, by the work that is its next: asked at each turn. One of each key. */
  readonly caps?: ((next: Ready) => readonly Cap[]) | undefined
  /** How many pieces of work of the group share a run at most. Without it none is shared, and groups mean nothing. */
  readonly maxBatch?: ((group: string) => number) | undefined
  /** How many pieces of one line and rank are held. */
  readonly window: number
}

/** A part of the store that is to be read again: its first `window` pieces of work. */
export interface Refill {
  readonly line: string
  readonly rank: number
}

export class ReadyQueue {
  readonly #options: ReadyQueueOptions
  readonly #lines = new Map<string, Line>()
  /** Those of which a window has half emptied while the store has more. */
  readonly #hungry = new Set<Line>()
  /** Lines that have work, in the order of their turns. */
  readonly #waiting: Line[] = []
  /** Lines that have none, and whose next turn is yet to come. */
  readonly #idle = new Set<Line>()
  /** Lines that came to their turn when as much ran as may, by the key of the cap, in the order in which they came. */
  readonly #parked = new Map<string, Set<Line>>()
  #parkedLines = 0
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

  /** How many lines it knows of. */
  get lines(): number {
    return this.#lines.size
  }

  /** Adds work at the end of its rank; nothing happens when it is there. False: it stays in the store for now. */
  offer(ready: Ready): boolean {
    if (this.#entries.has(ready.id)) return true
    const line = this.#lineOf(ready.line)
    const entry = { ...ready, sequence: this.#sequence++, gone: false }
    const { mostRunning } = line.share
    const isAdded = line.add(entry)
    if (line.share.mostRunning > mostRunning) this.free(line.key)
    if (!isAdded) return false
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
    for (const line of this.#hungry) {
      for (const rank of line.refillable()) {
        line.setOverflowed(rank, false)
        refills.push({ line: line.key, rank })
      }
      if (!line.overflowed && !line.isWaiting) this.#leave(line)
    }
    this.#hungry.clear()
    return refills
  }

  /** The store has more of this than was read. */
  more({ line: key, rank }: Refill): void {
    const line = this.#lineOf(key)
    line.setOverflowed(rank, true)
    if (line.refillable().includes(rank)) this.#hungry.add(line)
  }

  /** Whether the store is known to have more of this than the window held. */
  hasMore({ line, rank }: Refill): boolean {
    return this.#lines.get(line)?.hasOverflowed(rank) ?? false
  }

  /** Work that was cancelled or expired before anyone took it. */
  withdraw(id: string): void {
    const entry = this.#entries.get(id)
    const line = entry && this.#lines.get(entry.line)
    if (line) this.#take(line, entry)
  }

  /**
   * Takes up to `runs` runs: each the work of one group that is not `busy`, at most as much as shares a run. Where runs
   * are shared no two are of one group: whether there is room for a second one only its executor knows, and it asks again.
   */
  take(runs: number, busy: ReadonlySet<string> = none): Ready[][] {
    const taken: Ready[][] = []
    const full = new Set(busy)
    const tally = new Tally()
    while (taken.length < runs) {
      const run = this.#takeRun(full, tally)
      if (!run) break
      taken.push(run)
      if (this.#options.maxBatch) full.add(run[0]?.group ?? '')
    }
    return taken
  }

  /**
   * There may be room: for the line of that key, or for one more of those that are parked under it. Whether any was
   * parked. To be called for each piece of work under a cap that ends, and when a cap is raised.
   */
  free(key: string): boolean {
    const own = this.#lines.get(key)
    if (own?.parkedUnder === undefined) return this.#freeFirst(key)
    this.#unpark(own)
    return true
  }

  /** There may be room for all. */
  freeAll(): void {
    for (const lines of [...this.#parked.values()]) for (const line of [...lines]) this.#unpark(line)
  }

  /** About how much work runs before this; undefined when it is not in the window. */
  position(id: string): number | undefined {
    const entry = this.#entries.get(id)
    const line = entry && this.#lines.get(entry.line)
    if (!entry || !line) return undefined
    const oldest = line.head(none)?.sequence ?? entry.sequence
    const ahead = Math.min(Math.max(0, entry.sequence - oldest), line.size - 1)
    return ahead * Math.max(1, this.#waiting.length + this.#parkedLines)
  }

  #takeRun(busy: ReadonlySet<string>, taken: Tally): Ready[] | undefined {
    for (let place = 0; place < this.#waiting.length; ) {
      const line = this.#waiting[place] as Line
      if (line.size === 0) {
        this.#waiting.splice(place, 1)
        this.#leave(line)
        continue
      }
      const first = line.head(busy)
      if (!first) {
        place++
        continue
      }
      this.#waiting.splice(place, 1)
      const caps = this.#capsOf(line, first)
      const full = caps.find(cap => this.#isFull(cap, taken))
      if (full) {
        this.#park(line, full.key)
        if (this.#passOn(caps, full, taken)) place = 0
        continue
      }
      this.#passTime(Math.max(this.#time, line.turnAt))
      line.turnAt = this.#time + 1 / line.share.weight
      this.#wait(line)
      const run = [this.#take(line, first)]
      for (const { key } of caps) taken.add(key, 1)
      if (!first.alone) this.#fill(run, first.group, taken)
      return run
    }
    const isEmpty = this.#waiting.length + this.#parkedLines === 0
    if (isEmpty) for (const line of [...this.#idle]) this.#forget(line) // There is nobody to wait for.
    return undefined
  }

  #capsOf({ key, share: { mostRunning } }: Line, next: Ready): readonly Cap[] {
    const caps = this.#options.caps?.(next) ?? []
    return mostRunning === Number.POSITIVE_INFINITY ? caps : [{ key, mostRunning }, ...caps]
  }

  #isFull({ key, mostRunning }: Cap, taken: Tally): boolean {
    return this.#options.running(key) + taken.of(key) >= mostRunning
  }

  /** What a line can't take for the sake of one cap, another may that is parked under one of its others. */
  #passOn(caps: readonly Cap[], full: Cap, taken: Tally): boolean {
    const others = caps.filter(cap => cap.key !== full.key && !this.#isFull(cap, taken))
    return others.filter(({ key }) => this.#freeFirst(key)).length > 0
  }

  #park(line: Line, key: string): void {
    line.parkedUnder = key
    this.#parkedLines++
    const parked = this.#parked.get(key)
    if (parked) parked.add(line)
    else this.#parked.set(key, new Set([line]))
  }

  #freeFirst(key: string): boolean {
    const [first] = this.#parked.get(key) ?? []
    if (first) this.#unpark(first)
    return first !== undefined
  }

  #unpark(line: Line): void {
    const parked = this.#parked.get(line.parkedUnder ?? '')
    parked?.delete(line)
    if (parked?.size === 0) this.#parked.delete(line.parkedUnder ?? '')
    line.parkedUnder = undefined
    this.#parkedLines--
    this.#wait(line)
  }

  /** Puts a line in the order of turns, behind those of the same time. */
  #wait(line: Line): void {
    line.isWaiting = true
    this.#idle.delete(line)
    let [from, to] = [0, this.#waiting.length]
    while (from < to) {
      const middle = (from + to) >>> 1
      if ((this.#waiting[middle] as Line).turnAt <= line.turnAt) from = middle + 1
      else to = middle
    }
    this.#waiting.splice(from, 0, line)
  }

  /** A line without work is forgotten once its turn would have come: until then it gets none sooner by coming anew. */
  #leave(line: Line): void {
    line.isWaiting = false
    if (line.turnAt > this.#time) this.#idle.add(line)
    else this.#forget(line)
  }

  #passTime(time: number): void {
    const isLater = Math.floor(time) > Math.floor(this.#time) // Once for all that pass in a unit.
    this.#time = time
    if (isLater) for (const line of [...this.#idle]) if (line.turnAt <= time) this.#forget(line)
  }

  #forget(line: Line): void {
    this.#idle.delete(line)
    if (line.overflowed) return
    this.#lines.delete(line.key)
    this.#hungry.delete(line)
  }

  /** Fills a run with work of the same group, one line after the other. It costs them no turn: the run is on anyway. */
  #fill(run: Ready[], group: string, taken: Tally): void {
    const room = this.#options.maxBatch?.(group) ?? 1
    for (let found = true; found && run.length < room; ) {
      found = false
      for (const line of this.#waiting) {
        if (run.length >= room) break
        const entry = line.companion(group)
        if (!entry) continue
        const caps = this.#capsOf(line, entry)
        if (caps.some(cap => this.#isFull(cap, taken))) continue
        run.push(this.#take(line, entry))
        for (const { key } of caps) taken.add(key, 1)
        found = true
      }
    }
  }

  #take(line: Line, entry: Entry): Ready {
    if (line.remove(entry)) this.#hungry.add(line)
    this.#entries.delete(entry.id)
    return entry
  }

  #lineOf(key: string): Line {
    const known = this.#lines.get(key)
    if (known) return known
    const line = new Line(key, this.#options.window)
    this.#lines.set(key, line)
    return line
  }
}

const none: ReadonlySet<string> = new Set()
