import { systemClock } from '@millhand/process'
import { type Log, processMetrics } from '@millhand/telemetry'
import { type Db, MongoClient, type MongoClientOptions } from 'mongodb'
import { CircuitBreaker } from './circuit-breaker.ts'
import { asked, circuitOpen, isPassing, timeoutsFor, unreachable } from './connection.ts'
import { onceMade } from './once-made.ts'
import { OutcomeUnknown } from './write-groups.ts'

/** No retries by the driver: `settle` asks what became of a write before it repeats it. */
const SETTINGS = {
  appName: 'millhand',
  retryWrites: false,
  writeConcern: { w: 'majority', journal: true },
  readConcern: { level: 'majority' },
  readPreference: 'primary',
  ignoreUndefined: true,
} as const satisfies MongoClientOptions

const recordCommit = processMetrics.boundHistogram('millhand_store_commit_seconds', { store: 'mongodb' })
const countFailure = processMetrics.boundCounter('millhand_store_commit_failures_total', { store: 'mongodb' })

/** The connection of this process, with what is under way on it. Calls fail at once while its circuit is open. */
export class Client {
  readonly #client: MongoClient
  readonly #circuit: CircuitBreaker
  readonly #closing = new AbortController()
  readonly #underWay = new Set<Promise<unknown>>()
  #closed: Promise<void> | undefined
  readonly db: Db
  /** By ourselves: when the driver's own first attempt fails, it never makes another. */
  readonly connected = onceMade(async () => {
    await this.#client.connect()
  })

  constructor(url: string, log: Log) {
    this.#client = new MongoClient(url, { ...SETTINGS, ...timeoutsFor(url) })
    this.db = this.#client.db()
    this.#circuit = new CircuitBreaker({
      clock: systemClock,
      probe: () => this.ping(),
      isSilence: isPassing,
      refusal: circuitOpen,
      onChange: isOpen => (isOpen ? log.warn('store.circuit_opened') : log.info('store.circuit_closed')),
    })
  }

  /** Ends when `close` is called. */
  get closing(): AbortSignal {
    return this.#closing.signal
  }

  /** Keeps the connection until the work is done; refuses it after `close`. */
  async during<R>(work: () => Promise<R>): Promise<R> {
    if (this.#closed) throw new Error('the store is closed')
    const working = work()
    this.#underWay.add(working)
    try {
      return await working
    } finally {
      this.#underWay.delete(working)
    }
  }

  read<R>(work: () => Promise<R>): Promise<R> {
    return asked(() => this.during(() => this.#circuit.read(work)))
  }

  /** For callers: what can't be told is a failure of the way to the server too. */
  write<R>(work: () => Promise<R>): Promise<R> {
    const began = performance.now()
    return asked(() =>
      this.during(async () => {
        const result = await this.#circuit.write(work)
        recordCommit((performance.now() - began) / 1_000)
        return result
      }).catch(error => {
        countFailure()
        throw error instanceof OutcomeUnknown ? unreachable(error) : error
      }),
    )
  }

  ping(signal?: AbortSignal): Promise<void> {
    return this.during(async () => {
      await this.connected()
      await this.db.command({ ping: 1 }, signal ? { signal } : {})
      this.#circuit.answered()
    })
  }

  /** Waits for what is under way, and disconnects. Idempotent. */
  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    this.#closing.abort()
    this.#circuit.close()
    await Promise.allSettled(this.#underWay)
    await this.#client.close()
  }
}
