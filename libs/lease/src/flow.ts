/** The work of one flow of the ready queue, such as a tenant's: by rank, then by age, findable by group. */

/** What a flow may have of a pool. */
export interface Share {
  /** How many turns it has where a flow of weight 1 has one: above 0. */
  readonly weight: number
  /** How many pieces of its work are leased at once at most. */
  readonly maxRunning: number
}

/** Work that can be claimed now. */
export interface Ready {
  readonly tenant: string
  readonly id: string
  /** Who takes turns: its tenant, or whatever the pool says. */
  readonly flow: string
  readonly group: string
  /** 0 before 1 before 2 before 3. */
  readonly rank: number
  /** Shares no run. */
  readonly alone: boolean
  /** Its flow's, as it was when the work was made. */
  readonly share: Share
}

export interface Entry extends Ready {
  /** Age within the queue. */
  readonly sequence: number
  /** No longer in the queue; its place is cleared when it comes to the front, or with others. */
  gone: boolean
}

/** The work of one group and rank, by age. */
interface Lane {
  readonly entries: Deque<Entry>
  gone: number
}

const RANKS = 4

/** Of each rank a window is held; the store has what does not fit. */
class Rank {
  readonly lanes = new Map<string, Lane>()
  size = 0
  overflowed = false
}

export class Flow {
  readonly key: string
  /** Whether it waits for a turn, or for room to take one. */
  isWaiting = false
  /** What it waits for room under, where it does. */
  parkedUnder: string | undefined
  /** When its next turn is, in the queue's own time. */
  startTag = 0
  #share: Share = { weight: 1, maxRunning: Number.POSITIVE_INFINITY }
  /** The id of the work that told its share. */
  #toldBy = ''
  readonly #ranks: readonly Rank[] = Array.from({ length: RANKS }, () => new Rank())

  constructor(key: string) {
    this.key = key
  }

  /** As the latest work has it: ids sort by creation. */
  get share(): Share {
    return this.#share
  }

  get size(): number {
    let size = 0
    for (const rank of this.#ranks) size += rank.size
    return size
  }

  get overflowed(): boolean {
    return this.#ranks.some(rank => rank.overflowed)
  }

  /** Adds work behind the others of its rank. False: there are `window` of that, and the store has this one. */
  add(entry: Entry, window: number): boolean {
    if (entry.id > this.#toldBy) {
      this.#toldBy = entry.id
      this.#share = entry.share
    }
    const rank = this.#rank(entry.rank)
    if (rank.overflowed || rank.size >= window) {
      rank.overflowed = true
      return false
    }
    const lane = rank.lanes.get(entry.group)
    if (lane) lane.entries.push(entry)
    else rank.lanes.set(entry.group, { entries: new Deque(entry), gone: 0 })
    rank.size++
    return true
  }

  /** The ranks whose window is half empty while the store has more. */
  refillable(window: number): number[] {
    return [...this.#ranks.keys()].filter(rank => isRefillable(this.#rank(rank), window))
  }

  /** Whether the store has more of a rank than its window held. */
  hasOverflowed(rank: number): boolean {
    return this.#rank(rank).overflowed
  }

  setOverflowed(rank: number, overflowed: boolean): void {
    this.#rank(rank).overflowed = overflowed
  }

  /** The next piece of work whose group is not busy: lowest rank, then oldest. */
  head(busy: ReadonlySet<string>): Entry | undefined {
    for (const { lanes } of this.#ranks) {
      let oldest: Entry | undefined
      for (const [group, lane] of lanes) {
        const entry = front(lane)
        if (!entry) lanes.delete(group)
        else if (!busy.has(group) && (!oldest || entry.sequence < oldest.sequence)) oldest = entry
      }
      if (oldest) return oldest
    }
    return undefined
  }

  /** The smallest id that it holds, which is the oldest: ids sort by creation. */
  oldestId(): string | undefined {
    let oldest: string | undefined
    for (const { lanes } of this.#ranks) {
      for (const lane of lanes.values()) {
        const id = front(lane)?.id
        if (id !== undefined && (oldest === undefined || id < oldest)) oldest = id
      }
    }
    return oldest
  }

  /** The next piece of work of the group that may share a run. */
  companion(group: string): Entry | undefined {
    for (const { lanes } of this.#ranks) {
      const lane = lanes.get(group)
      const entry = lane && front(lane)
      if (entry) return entry.alone ? undefined : entry
    }
    return undefined
  }

  /** Whether its rank is refillable then. */
  remove(entry: Entry, window: number): boolean {
    entry.gone = true
    const rank = this.#rank(entry.rank)
    rank.size--
    const lane = rank.lanes.get(entry.group)
    if (lane) {
      lane.gone++
      if (lane.gone > 64 && lane.gone * 2 > lane.entries.length) {
        lane.entries.retain(({ gone }) => !gone)
        lane.gone = 0
      }
    }
    return isRefillable(rank, window)
  }

  #rank(rank: number): Rank {
    const found = this.#ranks[rank]
    if (!found) throw new Error(`rank ${rank} is none of the first ${RANKS}`)
    return found
  }
}

const isRefillable = ({ overflowed, size }: Rank, window: number): boolean => overflowed && size <= window / 2

function front(lane: Lane): Entry | undefined {
  for (;;) {
    const entry = lane.entries.at(0)
    if (!entry?.gone) return entry
    lane.entries.shift()
    lane.gone--
  }
}

/** A queue whose ends cost the same however long it is; an array's `shift` moves every item. */
class Deque<T> {
  #items: (T | undefined)[]
  #start = 0

  constructor(...items: T[]) {
    this.#items = items
  }

  get length(): number {
    return this.#items.length - this.#start
  }

  push(item: T): void {
    this.#items.push(item)
  }

  /** The item at a place from the front. */
  at(place: number): T | undefined {
    return this.#items[this.#start + place]
  }

  shift(): T | undefined {
    if (this.#start === this.#items.length) return undefined
    const item = this.#items[this.#start]
    this.#items[this.#start++] = undefined
    if (this.#start > 1024 && this.#start * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#start)
      this.#start = 0
    }
    return item
  }

  /** Keeps only what passes, in its order. */
  retain(passes: (item: T) => boolean): void {
    this.#items = this.#items.slice(this.#start).filter(item => passes(item as T))
    this.#start = 0
  }
}
