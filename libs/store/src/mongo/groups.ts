/** What became of one item of a group. */
export type Outcome<Result> = { readonly value: Result } | { readonly error: unknown }

export interface GroupsOptions<Item, Result> {
  /** About how many characters an item is. */
  readonly weigh?: (item: Item) => number
  /** Resolves with an outcome for each item, in their order; rejects where all of them have failed. */
  readonly send: (items: readonly Item[]) => Promise<readonly Outcome<Result>[]>
}

const MOST_ITEMS = 500
/**
 * A command may have 16 MB (https://www.mongodb.com/docs/manual/reference/limits/), a character 3 bytes, and a group is
 * closed after the item that passes this.
 */
const MOST_CHARACTERS = 3_000_000
/** While one group is under way the next is sent as well, so that the server never waits for us; what comes then waits. */
const MOST_UNDER_WAY = 2

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/**
 * Sends all items of one turn of the event loop as one command: a command costs this process about 100 µs, an item
 * within one 10. A group begins in the check phase, right after the poll phase has handed out every request that had
 * come: none waits for company.
 */
export class Groups<Item, Result> {
  readonly #options: GroupsOptions<Item, Result>
  #waiting: Waiting<Item, Result>[] = []
  #underWay = 0
  #scheduled = false

  constructor(options: GroupsOptions<Item, Result>) {
    this.#options = options
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      this.#schedule()
    })
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0 || this.#underWay === MOST_UNDER_WAY) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      void this.#send(this.#take())
      this.#schedule()
    })
  }

  #take(): Waiting<Item, Result>[] {
    const { weigh = () => 0 } = this.#options
    let count = 0
    for (let length = 0; count < this.#waiting.length && count < MOST_ITEMS && length < MOST_CHARACTERS; count++)
      length += weigh((this.#waiting[count] as Waiting<Item, Result>).item)
    const taken = this.#waiting.slice(0, count)
    this.#waiting = this.#waiting.slice(count)
    return taken
  }

  async #send(group: readonly Waiting<Item, Result>[]): Promise<void> {
    this.#underWay += 1
    try {
      const outcomes = await this.#options.send(group.map(({ item }) => item))
      for (const [place, { resolve, reject }] of group.entries()) {
        const outcome = outcomes[place] as Outcome<Result>
        if ('value' in outcome) resolve(outcome.value)
        else reject(outcome.error)
      }
    } catch (error) {
      for (const { reject } of group) reject(error)
    } finally {
      this.#underWay -= 1
      this.#schedule()
    }
  }
}
