/** Where a reader stands: for each partition the offset of the message that it reads next. */

export interface TopicPartition {
  readonly topic: string
  readonly partition: number
}

/** Partitions that it does not know, such as those that a topic was given later, are read from their beginning. */
export class Offsets {
  readonly #next = new Map<string, (number | undefined)[]>()

  get({ topic, partition }: TopicPartition): number | undefined {
    return this.#next.get(topic)?.[partition]
  }

  set({ topic, partition }: TopicPartition, next: number): void {
    const offsets = this.#next.get(topic) ?? []
    while (offsets.length < partition) offsets.push(undefined)
    offsets[partition] = next
    this.#next.set(topic, offsets)
  }

  copy(): Offsets {
    const copied = new Offsets()
    for (const [topic, offsets] of this.#next) copied.#next.set(topic, [...offsets])
    return copied
  }

  /** These offsets, moved on to those of `others` where those are later. */
  atLeast(others: Offsets): this {
    for (const [topic, offsets] of this.#next) {
      const moved = offsets.map((offset, partition) => Math.max(offset ?? 0, others.get({ topic, partition }) ?? 0))
      this.#next.set(topic, moved)
    }
    return this
  }

  /**
   * Writes positions: all of these offsets, with `next` as that of the one partition. Only that differs from message
   * to message, so the text around it is made once a batch.
   */
  writer(at: TopicPartition): (next: number) => string {
    const { topic, partition } = at
    const offsets = this.#next.get(topic) ?? []
    const others = [...this.#next].filter(([name]) => name !== topic).map(written)
    const before = `${[...others, ''].join(';')}${topic}:${Array.from({ length: partition }, (_, i) => `${digits(offsets[i])},`).join('')}`
    const after = offsets
      .slice(partition + 1)
      .map(offset => `,${digits(offset)}`)
      .join('')
    return next => before + digits(next) + after
  }

  /** Reads what a writer wrote: `topic:1a,,3;topic:0`, offsets in base 36. Throws `RangeError` for anything else. */
  static parse(position: string): Offsets {
    const parsed = new Offsets()
    for (const part of position.split(';')) {
      const [, topic, offsets] = WRITTEN.exec(part) ?? []
      if (topic === undefined || offsets === undefined) throw new RangeError(`not a position in the log: ${position}`)
      const next = offsets.split(',').map(text => (text === '' ? undefined : Number.parseInt(text, 36)))
      parsed.#next.set(topic, next)
    }
    return parsed
  }
}

/** A topic's name as Kafka allows it; a number of up to ten digits of base 36 is below 2^53. */
const WRITTEN = /^([\w.-]{1,249}):([0-9a-z]{0,10}(?:,[0-9a-z]{0,10})*)$/

const written = ([topic, offsets]: [string, (number | undefined)[]]): string => `${topic}:${offsets.map(digits)}`

const digits = (offset: number | undefined): string => offset?.toString(36) ?? ''
