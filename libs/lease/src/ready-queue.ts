/**
 * The work of one pool that can be claimed now, in memory: in turns over lines (tenants, say) by weight, by rank and age
 * within a line, the same group together. It is only a window on the store: what does not fit stays there.
 *
 * A line that may not run more is parked until it may, so a claim looks at none of those that it can't take from.
 */
import { type Entry, Line, type Ready } from './line.ts'
import { Parked } from './parked.ts'
import { Tally } from './tally.ts'
import { Turns } from './turns.ts'

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
  /** How many pieces of one line and rank are held at most: fewer where many lines have work. */
  readonly window: number
}

/** A part of the store that is to be read again: its first `window` pieces of work. */
export interface Refill {
  readonly line: string
  readonly rank: number
}

/** When so many pieces are held, some 300 bytes each, a line gets only a few more of a rank: enough for its next turns. */
const MANY = 100_000
const FEW = 4

export class ReadyQueue {
  readonly #options: ReadyQueueOptions
  readonly #lines = new Map<string, Line>()
  /** Those of which a window has half emptied while the store has more. */
  readonly #hungry = new Set<Line>()
  readonly #turns = new Turns(line => this.#forget(line))
  readonly #parked = new Parked(line => this.#turns.wait(line))
  readonly #entries = new Map<string, Entry>()
  #sequence = 0

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

  /** How many pieces of one line and rank it takes up now. */
  get window(): number {
    const { window } = this.#options
    return this.#entries.size < MANY ? window : Math.min(window, FEW)
  }

  /** Adds work at the end of its rank; nothing happens when it is there. False: it stays in the store for now. */
  offer(ready: Ready): boolean {
    if (this.#entries.has(ready.id)) return true
    const line = this.#lineOf(ready.line)
    const { tenant, id, group, rank, alone, share } = ready
    const [sequence, gone] = [this.#sequence++, false]
    // Field by field, and one text for all of a line: a copy takes a third more.
    const entry: Entry = { tenant, id, line: line.key, group, rank, alone, share, sequence, gone }
    const { mostRunning } = line.share
    const isAdded = line.add(entry, this.window)
    if (line.share.mostRunning > mostRunning) this.free(line.key)
    if (!isAdded) return false
    this.#entries.set(ready.id, entry)
    if (!line.isWaiting) this.#turns.join(line)
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
      for (const rank of line.refillable(this.window)) {
        line.setOverflowed(rank, false)
        refills.push({ line: line.key, rank })
      }
      if (!line.overflowed && !line.isWaiting) this.#turns.leave(line)
    }
    this.#hungry.clear()
    return refills
  }

  /** The store has more of this than was read. */
  more({ line: key, rank }: Refill): void {
    const line = this.#lineOf(key)
    line.setOverflowed(rank, true)
    if (line.refillable(this.window).includes(rank)) this.#hungry.add(line)
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
   * `newcomersOnly`: only work of lines of which nothing runs.
   */
  take(runs: number, busy: ReadonlySet<string> = none, newcomersOnly = false): Ready[][] {
    const taken: Ready[][] = []
    const full = new Set(busy)
    const tally = new Tally()
    const mayTake = newcomersOnly ? ({ key }: Line) => this.#options.running(key) + tally.of(key) === 0 : anyLine
    while (taken.length < runs) {
      const run = this.#takeRun(full, tally, mayTake)
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
    return (own !== undefined && this.#parked.free(own)) || this.#parked.freeFirst(key)
  }

  /** There may be room for all. */
  freeAll(): void {
    this.#parked.freeAll()
  }

  /** About how much work runs before this; undefined when it is not in the window. */
  position(id: string): number | undefined {
    const entry = this.#entries.get(id)
    const line = entry && this.#lines.get(entry.line)
    if (!entry || !line) return undefined
    const oldest = line.head(none)?.sequence ?? entry.sequence
    const ahead = Math.min(Math.max(0, entry.sequence - oldest), line.size - 1)
    return ahead * Math.max(1, this.#turns.length + this.#parked.size)
  }

  #takeRun(busy: ReadonlySet<string>, taken: Tally, mayTake: (line: Line) => boolean): Ready[] | undefined {
    for (let place = 0; ; ) {
      const line = this.#turns.at(place)
      if (!line) break
      const first = line.head(busy)
      if ((!first && line.size > 0) || !mayTake(line)) {
        place++
        continue
      }
      this.#turns.remove(place)
      if (!first) {
        this.#turns.leave(line)
        continue
      }
      const caps = this.#capsOf(line, first)
      const full = caps.find(cap => this.#isFull(cap, taken))
      if (full) {
        this.#parked.add(line, full.key)
        if (this.#passOn(caps, full, taken)) place = 0
        continue
      }
      this.#turns.take(line)
      const run = [this.#take(line, first)]
      for (const { key } of caps) taken.add(key, 1)
      if (!first.alone) this.#fill(run, first.group, taken, mayTake)
      return run
    }
    if (this.#turns.length + this.#parked.size === 0) this.#turns.endIdle()
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
    return others.filter(({ key }) => this.#parked.freeFirst(key)).length > 0
  }

  /** Fills a run with work of the same group, one line after the other. It costs them no turn: the run is on anyway. */
  #fill(run: Ready[], group: string, taken: Tally, mayTake: (line: Line) => boolean): void {
    const room = this.#options.maxBatch?.(group) ?? 1
    for (let found = true; found && run.length < room; ) {
      found = false
      for (const line of this.#turns) {
        if (run.length >= room) break
        const entry = line.companion(group)
        if (!entry || !mayTake(line)) continue
        const caps = this.#capsOf(line, entry)
        if (caps.some(cap => this.#isFull(cap, taken))) continue
        run.push(this.#take(line, entry))
        for (const { key } of caps) taken.add(key, 1)
        found = true
      }
    }
  }

  #take(line: Line, entry: Entry): Ready {
    if (line.remove(entry, this.window)) this.#hungry.add(line)
    this.#entries.delete(entry.id)
    return entry
  }

  #lineOf(key: string): Line {
    const known = this.#lines.get(key)
    if (known) return known
    const line = new Line(key)
    this.#lines.set(key, line)
    return line
  }

  #forget(line: Line): void {
    if (line.overflowed) return
    this.#lines.delete(line.key)
    this.#hungry.delete(line)
  }
}

const none: ReadonlySet<string> = new Set()
const anyLine = () => true
