/** The topic as a consumer reads it that drops what it has had: at least once, made exactly once. */
import type { Logged } from './history-checks.ts'

/** A message of the topic, in the order of its partition. */
export interface Message {
  readonly event: Logged
  /** The value, to the letter. */
  readonly content: string
  readonly partition: number
  /** When the broker took it, by the broker's clock, in milliseconds since 1970. */
  readonly takenAt: number
}

export interface Topic {
  /** Each event once, where it came first. */
  readonly events: readonly Logged[]
  /** The messages that came again. */
  readonly repeats: readonly Message[]
  /** What no consumer could drop rightly, in words. */
  readonly faults: readonly string[]
}

/** Repeats are allowed with the same id and the same content, in the partition in which the first one came. */
export function withoutRepeats(messages: readonly Message[]): Topic {
  const firsts = new Map<string, Message>()
  const events: Logged[] = []
  const repeats: Message[] = []
  const faults: string[] = []
  const partitionOf = new Map<string, number>()
  for (const message of messages) {
    const { event, partition } = message
    const known = partitionOf.get(event.task)
    if (known === undefined) partitionOf.set(event.task, partition)
    else if (known !== partition) faults.push(`${event.task}: is in the partitions ${known} and ${partition}`)
    const first = firsts.get(event.id)
    if (!first) {
      firsts.set(event.id, message)
      events.push(event)
      continue
    }
    repeats.push(message)
    if (first.content !== message.content)
      faults.push(`${event.task}: event ${event.id} has two contents: ${first.content} | ${message.content}`)
  }
  return { events, repeats, faults }
}
