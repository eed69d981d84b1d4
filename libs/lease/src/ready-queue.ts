/**
 * The work of one pool that can be claimed now, in memory: in turns over flows (tenants, say) by weight, by rank and age
 * within a flow, the same group together. It is only a window on the store: what does not fit stays there.
 *
 * A flow that may not run more is parked until it may, so a claim looks at none of those that it can't take from.
 */

import { Counters } from './counters.ts'
import { FairQueue } from './fair-queue.ts'
import { type Entry, Flow, type Ready } from './flow.ts'
import { ParkedFlows } from './parked-flows.ts'

export type { Ready, Share } from './flow.ts'

/** What bounds how much work runs at once: a flow's own share has its flow as the key. */
export interface Cap {
  readonly key: string
  readonly maxRunning: number
}

export interface ReadyQueueOptions {
  /** How many pieces of work of this queue are leased under the key of a cap. */
  readonly running: (key: string) => number
  /** The same of all queues whose work counts under the same caps; of this one alone where it is left out. */
  readonly runningUnder?: (key: string) => number
  /** What bounds a flow beside its share, by the work that is its next: asked at each turn. One of each key. */
  readonly caps?: ((next: Ready) => readonly Cap[]) | undefined
  /** How many pieces of work of the group share a run at most. Without it none is shared, and groups mean nothing. */
  readonly maxBatch?: ((group: string) => number) | undefined
  /** How many pieces of one flow and rank are held at most: fewer where many flows have work. */
  readonly window: number
}

/** A part of the store that is to be read again: its first `window` pieces of work. */
export interface Refill {
  readonly flow: string
  readonly rank: number
}

/** Of which flows work is taken. */
export interface Only {
  /** Of those of which nothing runs. */
  readonly newcomersOnly?: boolean | undefined
  /** Of this one. */
  readonly flow?: string | undefined
}

/** When so many pieces are held, some 300 bytes each, a flow gets only a few more of a rank: enough for its next turns. */
const MANY = 100_000
const FEW = 4

export class ReadyQueue {
  readonly #options: ReadyQueueOptions
  readonly #flows = new Map<string, Flow>()
  /** Those of which a window has half emptied while the store has more. */
  readonly #hungry = new Set<Flow>()
  readonly #fairQueue = new FairQueue(flow => this.#forget(flow))
  readonly #parked = new ParkedFlows(flow => this.#fairQueue.wait(flow))
  readonly #entries = new Map<string, Entry>()
  #sequence = 0

  constructor(options: ReadyQueueOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#entries.size
  }

  /** How many flows it knows of. */
  get flows(): number {
    return this.#flows.size
  }

  /** How many pieces of one flow and rank it takes up now. */
  get window(): number {
    const { window } = this.#options
    return this.#entries.size < MANY ? window : Math.min(window, FEW)
  }

  /** Adds work at the end of its rank; nothing happens when it is there. False: it stays in the store for now. */
  offer(ready: Ready): boolean {
    if (this.#entries.has(ready.id)) return true
    const flow = this.#flowOf(ready.flow)
    const { tenant, id, group, rank, alone, share } = ready
    const [sequence, gone] = [this.#sequence++, false]
    // Field by field, and one text for all of a flow: a copy takes a third more.
    const entry: Entry = { tenant, id, flow: flow.key, group, rank, alone, share, sequence, gone }
    const { maxRunning } = flow.share
    const isAdded = flow.add(entry, this.window)
    if (flow.share.maxRunning > maxRunning) this.free(flow.key)
    if (!isAdded) return false
    this.#entries.set(ready.id, entry)
    if (!flow.isWaiting) this.#fairQueue.join(flow)
    return true
  }

  /**
   * What is to be read from the store now, because its window has half emptied. From this call on new work of it is
   * taken up again, so that none falls between the reading and its end: say what was read with `offer`, and with `more`
   * where the window did not hold all of it.
   */
  beginRefills(): Refill[] {
    const refills: Refill[] = []
    for (const flow of this.#hungry) {
      for (const rank of flow.refillable(this.window)) {
        flow.setOverflowed(rank, false)
        refills.push({ flow: flow.key, rank })
      }
      if (!flow.overflowed && !flow.isWaiting) this.#fairQueue.leave(flow)
    }
    this.#hungry.clear()
    return refills
  }

  /** The store has more of this than was read. */
  more({ flow: key, rank }: Refill): void {
    const flow = this.#flowOf(key)
    flow.setOverflowed(rank, true)
    if (flow.refillable(this.window).includes(rank)) this.#hungry.add(flow)
  }

  /** Whether the store is known to have more of this than the window held. */
  hasMore({ flow, rank }: Refill): boolean {
    return this.#flows.get(flow)?.hasOverflowed(rank) ?? false
  }

  /** Work that was cancelled or expired before anyone took it. */
  withdraw(id: string): void {
    const entry = this.#entries.get(id)
    const flow = entry && this.#flows.get(entry.flow)
    if (flow) this.#take(flow, entry)
  }

  /**
   * Takes up to `runs` runs: each the work of one group that is not `busy`, at most as much as shares a run. Where runs
   * are shared no two are of one group: whether there is room for a second one only its executor knows, and it asks again.
   */
  take(runs: number, busy: ReadonlySet<string> = none, only: Only = {}): Ready[][] {
    const taken: Ready[][] = []
    const full = new Set(busy)
    const tally = new Counters()
    const { newcomersOnly, flow } = only
    const isNew = ({ key }: Flow) => this.#options.running(key) + tally.of(key) === 0
    const mayTake = (each: Flow) => (flow === undefined || each.key === flow) && (!newcomersOnly || isNew(each))
    while (taken.length < runs) {
      const run = this.#takeRun(full, tally, mayTake)
      if (!run) break
      taken.push(run)
      if (this.#options.maxBatch) full.add(run[0]?.group ?? '')
    }
    return taken
  }

  /**
   * There may be room: for the flow of that key, or for one more of those that are parked under it. Whether any was
   * parked. To be called for each piece of work under a cap that ends, and when a cap is raised.
   */
  free(key: string): boolean {
    if (this.#parked.size === 0) return false
    const own = this.#flows.get(key)
    return (own !== undefined && this.#parked.free(own)) || this.#parked.freeFirst(key)
  }

  /** There may be room for all. */
  freeAll(): void {
    this.#parked.freeAll()
  }

  /** About how much work runs before this; undefined when it is not in the window. */
  position(id: string): number | undefined {
    const entry = this.#entries.get(id)
    const flow = entry && this.#flows.get(entry.flow)
    if (!entry || !flow) return undefined
    const oldest = flow.head(none)?.sequence ?? entry.sequence
    const ahead = Math.min(Math.max(0, entry.sequence - oldest), flow.size - 1)
    return ahead * Math.max(1, this.#fairQueue.length + this.#parked.size)
  }

  /** The id of the oldest work that it holds. Looks at every flow. */
  oldestId(): string | undefined {
    let oldest: string | undefined
    for (const flow of this.#flows.values()) {
      const id = flow.oldestId()
      if (id !== undefined && (oldest === undefined || id < oldest)) oldest = id
    }
    return oldest
  }

  #takeRun(busy: ReadonlySet<string>, taken: Counters, mayTake: (flow: Flow) => boolean): Ready[] | undefined {
    for (let place = 0; ; ) {
      const flow = this.#fairQueue.at(place)
      if (!flow) break
      const first = flow.head(busy)
      if ((!first && flow.size > 0) || !mayTake(flow)) {
        place++
        continue
      }
      this.#fairQueue.remove(place)
      if (!first) {
        this.#fairQueue.leave(flow)
        continue
      }
      const caps = this.#capsOf(flow, first)
      const full = caps.find(cap => this.#isFull(cap, taken))
      if (full) {
        this.#parked.add(flow, full.key)
        if (this.#passOn(caps, full, taken)) place = 0
        continue
      }
      this.#fairQueue.take(flow)
      const run = [this.#take(flow, first)]
      for (const { key } of caps) taken.add(key, 1)
      if (!first.alone) this.#fill(run, first.group, taken, mayTake)
      return run
    }
    if (this.#fairQueue.length + this.#parked.size === 0) this.#fairQueue.endIdle()
    return undefined
  }

  #capsOf({ key, share: { maxRunning } }: Flow, next: Ready): readonly Cap[] {
    const caps = this.#options.caps?.(next) ?? []
    return maxRunning === Number.POSITIVE_INFINITY ? caps : [{ key, maxRunning }, ...caps]
  }

  #isFull({ key, maxRunning }: Cap, taken: Counters): boolean {
    const { running, runningUnder = running } = this.#options
    return runningUnder(key) + taken.of(key) >= maxRunning
  }

  /** What a flow can't take for the sake of one cap, another may that is parked under one of its others. */
  #passOn(caps: readonly Cap[], full: Cap, taken: Counters): boolean {
    const others = caps.filter(cap => cap.key !== full.key && !this.#isFull(cap, taken))
    return others.filter(({ key }) => this.#parked.freeFirst(key)).length > 0
  }

  /** Fills a run with work of the same group, one flow after the other. It costs them no turn: the run is on anyway. */
  #fill(run: Ready[], group: string, taken: Counters, mayTake: (flow: Flow) => boolean): void {
    const room = this.#options.maxBatch?.(group) ?? 1
    for (let found = true; found && run.length < room; ) {
      found = false
      for (const flow of this.#fairQueue) {
        if (run.length >= room) break
        const entry = flow.companion(group)
        if (!entry || !mayTake(flow)) continue
        const caps = this.#capsOf(flow, entry)
        if (caps.some(cap => this.#isFull(cap, taken))) continue
        run.push(this.#take(flow, entry))
        for (const { key } of caps) taken.add(key, 1)
        found = true
      }
    }
  }

  #take(flow: Flow, entry: Entry): Ready {
    if (flow.remove(entry, this.window)) this.#hungry.add(flow)
    this.#entries.delete(entry.id)
    return entry
  }

  #flowOf(key: string): Flow {
    const known = this.#flows.get(key)
    if (known) return known
    const flow = new Flow(key)
    this.#flows.set(key, flow)
    return flow
  }

  #forget(flow: Flow): void {
    if (flow.overflowed) return
    this.#flows.delete(flow.key)
    this.#hungry.delete(flow)
  }
}

const none: ReadonlySet<string> = new Set()
