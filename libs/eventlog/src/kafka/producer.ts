/** One idempotent producer at a time; after a failure that kafkajs does not get over, the next send has a new one. */
import { type Message, Partitioners, type Producer } from 'kafkajs'
import { type Client, type Connecting, createClient } from './client.ts'
import type { EventMessage } from './cloud-event.ts'
import type { TopicPartition } from './offsets.ts'
import { orEnded } from './retry.ts'

/** Messages by topic, in order. */
export type Batch = ReadonlyMap<string, readonly EventMessage[]>

/** A broker refuses a message for what it is, or several for what they are together. */
export class BatchRefused extends Error {
  constructor(reason: string, cause: unknown) {
    super(reason, { cause })
    this.name = 'BatchRefused'
  }
}

export interface EventProducer {
  /**
   * Resolves when all in-sync replicas have all messages, with the offset after the last one of each partition. Rejects
   * with `BatchRefused` where it would again.
   */
  send(batch: Batch): Promise<readonly (readonly [TopicPartition, number])[]>
  /** Cuts the connections; what is being sent fails. */
  close(): void
}

/** Tries for some 28 s in all; a broker that is away for over 7 s may end it earlier. */
const PATIENCE = { retries: 60, requestTimeoutMs: 5000 }
/** How long a broker waits for its replicas: less than we wait for it. */
const ACK_TIMEOUT_MS = 4000
/** How soon it is seen that a topic was given more partitions. */
export const METADATA_AGE_MS = 5000

interface Open {
  readonly producer: Producer
  /** Where each message of the send under way goes. */
  readonly chosen: Map<Message, number>
}

/** `topicNames` says which topics there are. */
export function createEventProducer(
  connecting: Connecting,
  topicNames: (signal: AbortSignal) => Promise<readonly string[]>,
): EventProducer {
  const closed = new AbortController()
  let client: Client | undefined
  let open: Open | undefined
  let known: ReadonlySet<string> = new Set()

  /** Without this kafkajs would try for half a minute, and then not say which topic it is. */
  async function checkTopics(topics: readonly string[]): Promise<void> {
    if (topics.every(topic => known.has(topic))) return
    known = new Set(await topicNames(closed.signal))
    const missing = topics.filter(topic => !known.has(topic))
    if (missing.length > 0) throw new Error(`there is no topic ${missing.join(', ')}`)
  }

  return {
    async send(batch) {
      closed.signal.throwIfAborted()
      await checkTopics([...batch.keys()])
      client ??= createClient(connecting, PATIENCE)
      try {
        open ??= await orEnded(openProducer(client), client.gone)
        return await orEnded(sendWith(open, batch), client.gone)
      } catch (cause) {
        client.cut()
        client = undefined
        open = undefined
        known = new Set()
        const refusal = refusalIn(cause)
        if (refusal) throw new BatchRefused(refusal, cause)
        throw new Error(`not all events were taken for ${[...batch.keys()].join(', ')}`, { cause })
      }
    },
    close() {
      closed.abort(new Error('the event log is closed'))
      client?.cut()
    },
  }
}

/** As the protocol calls them (https://kafka.apache.org/protocol#protocol_error_codes). */
const REFUSALS: readonly unknown[] = ['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE', 'INVALID_RECORD']

/** What a broker has said, in what kafkajs has made of it. */
function refusalIn(error: unknown): string | undefined {
  if (!(error instanceof Error)) return
  return 'type' in error && REFUSALS.includes(error.type) ? String(error.type) : refusalIn(error.cause)
}

async function openProducer({ kafka }: Client): Promise<Open> {
  const chosen = new Map<Message, number>()
  const producer = kafka.producer({
    allowAutoTopicCreation: false,
    idempotent: true,
    maxInFlightRequests: 1,
    metadataMaxAge: METADATA_AGE_MS,
    createPartitioner() {
      const choose = Partitioners.DefaultPartitioner() // murmur2 of the key, as Java's clients do.
      return args => {
        const partition = choose(args)
        chosen.set(args.message, partition)
        return partition
      }
    },
  })
  await producer.connect()
  return { producer, chosen }
}

async function sendWith({ producer, chosen }: Open, batch: Batch): Promise<(readonly [TopicPartition, number])[]> {
  chosen.clear()
  const topicMessages = [...batch].map(([topic, messages]) => ({ topic, messages: [...messages] }))
  const answers = await producer.sendBatch({ acks: -1, timeout: ACK_TIMEOUT_MS, topicMessages })
  return [...batch].flatMap(([topic, messages]) => {
    const counts = new Map<number, number>()
    for (const message of messages) {
      const partition = chosen.get(message) ?? -1
      counts.set(partition, (counts.get(partition) ?? 0) + 1)
    }
    return [...counts].map(([partition, count]) => {
      const answer = answers.find(answer => answer.topicName === topic && answer.partition === partition)
      // When a partition moves to a broker that has answered already, kafkajs takes that answer for this one too.
      if (answer?.baseOffset === undefined) throw new Error(`no answer for partition ${partition} of ${topic}`)
      return [{ topic, partition }, Number(answer.baseOffset) + count] as const
    })
  })
}
