/**
 * Sends what runs emit. One batch of a run is on its way at a time, the very same again until it has an answer; what
 * the run emits meanwhile is the next batch, so there is no timer. Batches that are ready in one turn of the event loop
 * share a call.
 */

import type { Client } from '@connectrpc/connect'
import {
  type Emission as EmissionMessage,
  Emitted_Verdict,
  type RunEmissions,
} from '@millhand/api/gen/millhand/lease/v1/emission_pb.ts'
import type { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import type { Emission } from '@millhand/child-process'
import type { Clock } from '@millhand/process'
import type { Log } from '@millhand/telemetry'
import { isContractViolation } from './contract-violation.ts'
import { bytesOf, EmissionQueue } from './emission-queue.ts'
import type { HeldLease } from './lease.ts'
import { type BatchLimit, inBatches } from './message-batches.ts'
import { giveUpAfterMs, retryEveryMs } from './retry-while-unavailable.ts'

const answerWithinMs = 5_000

/** More than a batch takes beside its emissions, and so much that a call has fewer than the contract's 1,000. */
const besideEmissions = 4 * 1024
const emitPortion: BatchLimit<Batch> = {
  size: 3 * 2 ** 20,
  sizeOf: ({ bytes }) => besideEmissions + bytes,
}

interface Stream {
  readonly held: HeldLease
  readonly queue: EmissionQueue
  /** How many are stored. */
  stored: number
  isOnItsWay: boolean
  /** Nothing more of it is wanted. */
  isClosed: boolean
  /** Called when all that was emitted is answered, or the stream is closed. */
  onAnswered: () => void
}

/** What was taken from a stream to be sent. */
interface Batch {
  readonly stream: Stream
  readonly message: RunEmissions
  readonly bytes: number
}

/** Calls that failed, one after the other. */
interface Failing {
  /** By the monotonic clock. */
  readonly since: number
  readonly failures: number
}

export class Emissions {
  readonly #leases: Client<typeof LeaseService>
  readonly #executorId: string
  readonly #clock: Clock
  readonly #log: Log
  readonly #streams = new Map<HeldLease, Stream>()
  #ready = new Set<Stream>()

  constructor(options: { leases: Client<typeof LeaseService>; executorId: string; clock: Clock; log: Log }) {
    this.#leases = options.leases
    this.#executorId = options.executorId
    this.#clock = options.clock
    this.#log = options.log
  }

  /**
   * Takes an emission that is within bounds. Resolves when there is room for the next. When the answer is that nothing
   * more is wanted, the lease's `stop` says why, unless it has one. Never rejects.
   */
  emit(held: HeldLease, emission: Emission): Promise<void> {
    if (held.isOver) return Promise.resolve()
    const stream = this.#streams.get(held) ?? this.#open(held)
    if (isOver(stream)) this.#close(stream)
    return stream.isClosed ? Promise.resolve() : stream.queue.put(emission)
  }

  /** The run is over. Resolves when all that it had emitted is stored, or can't be any more. Never rejects. */
  async answered(held: HeldLease): Promise<void> {
    held.isOver = true
    const stream = this.#streams.get(held)
    if (!stream) return
    stream.queue.flush()
    if (isOver(stream)) this.#close(stream)
    if (!stream.isClosed && (stream.isOnItsWay || !stream.queue.isEmpty)) {
      await new Promise<void>(resolve => {
        stream.onAnswered = resolve
      })
    }
    this.#streams.delete(held)
  }

  #open(held: HeldLease): Stream {
    const stream: Stream = {
      held,
      queue: new EmissionQueue(this.#clock, () => this.#isReady(stream)),
      stored: 0,
      isOnItsWay: false,
      isClosed: false,
      onAnswered: () => {},
    }
    this.#streams.set(held, stream)
    return stream
  }

  #close(stream: Stream): void {
    stream.isClosed = true
    stream.queue.clear()
    stream.onAnswered()
  }

  #isReady(stream: Stream): void {
    if (stream.isOnItsWay) return
    if (this.#ready.size === 0) setImmediate(() => this.#sendReady())
    this.#ready.add(stream)
  }

  #sendReady(): void {
    const streams = [...this.#ready].filter(({ queue }) => !queue.isEmpty)
    this.#ready = new Set()
    for (const portion of inBatches(streams.map(take), emitPortion)) void this.#send(portion)
  }

  /** Again until there is an answer: where a call fails, each run by itself, so that none fails for another's. */
  async #send(batches: readonly Batch[], failing?: Failing): Promise<void> {
    const wanted = batches.filter(({ stream }) => this.#isWanted(stream))
    if (wanted.length === 0) return
    const runs = wanted.map(({ message }) => message)
    const askedAt = this.#clock.monotonic()
    try {
      const answer = await this.#leases.emit({ executorId: this.#executorId, runs }, { timeoutMs: answerWithinMs })
      wanted.forEach(({ stream, message }, i) => {
        this.#sent(stream, message.emissions.length, answer.runs[i]?.verdict)
      })
    } catch (error) {
      const { since, failures } = failing ?? { since: askedAt, failures: 0 }
      await this.#failed(wanted, { since, failures: failures + 1 }, error)
    }
  }

  async #failed(batches: readonly Batch[], failing: Failing, error: unknown): Promise<void> {
    const { since, failures } = failing
    const isAtFault = batches.length === 1 && isContractViolation(error)
    const isOver = isAtFault || this.#clock.monotonic() - since > giveUpAfterMs
    // What fails goes on failing four times a second: the first is told, and the last.
    if (failures === 1 || isOver) this.#log.warn('emissions.not_delivered', { runs: batches.length, failures, error })
    if (isOver) {
      // A model's process may have emitted anything.
      for (const { stream } of batches) this.#stop(stream, isAtFault ? 'emission_invalid' : 'lost')
      return
    }
    if (!isContractViolation(error)) await new Promise<void>(resolve => this.#clock.timer(retryEveryMs, resolve))
    await Promise.all(batches.map(batch => this.#send([batch], failing)))
  }

  #isWanted(stream: Stream): boolean {
    if (!stream.isClosed && isOver(stream)) this.#close(stream)
    return !stream.isClosed
  }

  #sent(stream: Stream, count: number, verdict: Emitted_Verdict | undefined): void {
    if (stream.isClosed) return
    switch (verdict) {
      case Emitted_Verdict.STORED:
        stream.stored += count
        stream.isOnItsWay = false
        if (stream.queue.isEmpty) stream.onAnswered()
        else this.#isReady(stream)
        return
      case Emitted_Verdict.FULL:
        this.#stop(stream, 'output_too_large')
        return
      default:
        // Cancelled, or the lease is not the live one: to say that it was stopped is right for both, and needs no
        // renewal to tell which.
        this.#stop(stream, 'cancelled')
    }
  }

  #stop(stream: Stream, why: NonNullable<HeldLease['stop']>): void {
    stream.held.stop ??= why
    this.#close(stream)
  }
}

/** Whether the lease is one whose emissions nobody takes. */
const isOver = ({ held }: Stream): boolean => held.stop === 'lost' || held.stop === 'cancelled'

function take(stream: Stream): Batch {
  stream.isOnItsWay = true
  const { id, tenant, workId, attempt } = stream.held.lease
  const emissions = stream.queue.take()
  const message: RunEmissions = {
    $typeName: 'millhand.lease.v1.RunEmissions',
    leaseId: id,
    tenant,
    workId,
    attempt,
    from: stream.stored,
    emissions: emissions.map(toMessage),
  }
  return { stream, message, bytes: emissions.reduce((sum, emission) => sum + bytesOf(emission), 0) }
}

const toMessage = (emission: Emission): EmissionMessage => ({
  $typeName: 'millhand.lease.v1.Emission',
  content: toContent(emission),
})

function toContent(emission: Emission): EmissionMessage['content'] {
  switch (emission.kind) {
    case 'output':
      return { case: 'output', value: emission.json }
    case 'log':
      return { case: 'log', value: emission.text }
    case 'progress': {
      const { fraction, message, metrics = {} } = emission
      const told = { fraction, metrics: { ...metrics }, ...(message !== undefined && { message }) }
      return { case: 'progress', value: { $typeName: 'millhand.lease.v1.RunProgress', ...told } }
    }
  }
}
