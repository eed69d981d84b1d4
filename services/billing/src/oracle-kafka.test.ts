/** Events that come from a broker, which is killed again and again. `TEST_ALL` makes them a million, and kills it 30 times. */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { LoggedEvent } from '@millhand/eventlog'
import { openKafka } from '@millhand/eventlog/kafka'
import { publicTopics } from '@millhand/eventlog/public-topics'
import { createLog } from '@millhand/telemetry'
import { javaMissing, type Kafka, startKafka } from '@millhand/test-servers'
import { type Delivery, describeOracle, type Processes } from './oracle.contract.ts'
import type { Arrival } from './oracle.fixture.ts'
import { eventOf } from './oracle-log.fixture.ts'
import type { BillingProcess } from './oracle-process.fixture.ts'

const full = process.env.TEST_ALL !== undefined
const EVENTS = full ? 1_000_000 : 3_000
const KILLS = full ? 30 : 3
/** Events that are published at once. */
const BATCH = full ? 1_000 : 100
const TOPICS = [publicTopics.tasks.name, publicTopics.workforce.name, publicTopics.identity.name]
const DAY_MS = 86_400_000

const log = createLog({ level: 'error', write: () => {} })

describeOracle(
  `from a broker that is killed ${KILLS} times`,
  { events: EVENTS, accounts: full ? 200 : 3, deaths: full ? 30 : 10 },
  async processes => new BrokerDelivery(processes, await startKafka({})),
  { skip: javaMissing },
)

class BrokerDelivery implements Delivery {
  readonly #processes: Processes
  readonly #kafka: Kafka
  readonly #sender: ReturnType<typeof openKafka>
  readonly #delivered = new Set<string>()
  /** Of the round that goes on: which events were handled. */
  #handled = new Set<string>()
  #progressed = Promise.withResolvers<void>()
  #round = 0
  #kills = 0
  #broker = Promise.resolve()
  #end: () => void = () => {}
  readonly #endings: Promise<void>[] = []

  constructor(processes: Processes, kafka: Kafka) {
    this.#processes = processes
    this.#kafka = kafka
    this.#sender = this.#connect()
  }

  async deliver(arrivals: readonly Arrival[]): Promise<void> {
    if (this.#delivered.size === 0) {
      const topics = TOPICS.map(name => ({ name, partitions: 3, replication: 1, retentionMs: 400 * DAY_MS }))
      await this.#sender.ensureTopics(topics, new AbortController().signal)
      this.#subscribe()
    }
    for (let from = 0; from < arrivals.length; from += BATCH) {
      const batch = arrivals.slice(from, from + BATCH)
      this.#processes.reach((batch[0] as Arrival).at)
      const events = batch.map(eventOf)
      while (
        !(await this.#sender.publish(events.map(({ position: _, ...event }) => event)).then(
          () => true,
          () => pause(100, false),
        ))
      );
      for (const { id } of events) this.#delivered.add(id)
    }
    await this.#untilHandled()
  }

  async deliverAgain(): Promise<void> {
    this.#round++
    this.#handled = new Set()
    this.#subscribe()
    await this.#untilHandled()
  }

  assertDone(): void {
    assert.ok(this.#kills >= KILLS, `the broker was killed ${this.#kills} times`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end()
    await Promise.all(this.#endings)
    await this.#broker
    await this.#sender.close()
    await this.#kafka[Symbol.asyncDispose]()
  }

  #connect() {
    return openKafka({ brokers: [this.#kafka.address], clientId: 'billing', log })
  }

  /** Starts a process in the place of the one that ran, which may still be writing. */
  #subscribe(): void {
    this.#end()
    const ending = new AbortController()
    this.#end = () => ending.abort()
    const running = this.#processes.start()
    const events = this.#connect()
    const handle = this.#handler(running, this.#round, ending.signal)
    const groups = TOPICS.map(topic =>
      events.subscribe(`billing-${this.#round}-${topic}`, [topic], handle, ending.signal),
    )
    this.#endings.push(Promise.all(groups).then(() => events.close()))
  }

  #handler(running: BillingProcess, round: number, signal: AbortSignal) {
    return async (events: readonly LoggedEvent[]) => {
      try {
        await running.handle(events)
      } catch (error) {
        if (!signal.aborted) await this.#replace(error)
        throw error
      }
      if (round !== this.#round) return
      for (const { id } of events) this.#handled.add(id)
      this.#killBroker()
      this.#progressed.resolve()
      this.#progressed = Promise.withResolvers()
    }
  }

  async #replace(error: unknown): Promise<void> {
    try {
      this.#subscribe()
      await this.#processes.died(error)
    } catch (failure) {
      this.#progressed.reject(failure)
    }
  }

  /** At even distances of what is handled in both rounds, so that it dies while events come and while places are stored. */
  #killBroker(): void {
    const share = (this.#round + this.#handled.size / EVENTS) / 2
    if (this.#kills >= KILLS || share < (this.#kills + 1) / (KILLS + 2)) return
    this.#kills++
    this.#broker = this.#broker.then(() => this.#kafka.kill()).then(() => this.#kafka.start())
  }

  async #untilHandled(): Promise<void> {
    while (this.#handled.size < this.#delivered.size) await this.#progressed.promise
  }
}
