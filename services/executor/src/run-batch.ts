/** One run: the leases of one group together, from their claim to a result for each. */

import type { Lease, Result } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import {
  type AttachedFile,
  type Emission,
  type InputFile,
  type ItemResult,
  type Loadable,
  type Loadables,
  type ModelUsage,
  type RunItem,
  type Runner,
  RunnerGone,
  type RunResult,
} from '@millhand/child-process'
import type { Clock } from '@millhand/process'
import { type Span, spans, startSpan, within } from '@millhand/telemetry'
import { bytesGiven, faultOfReading, type InputFiles, MOST_BYTES_A_RUN } from './input-files.ts'
import type { HeldLease } from './lease.ts'
import { failure, type Outcome, outcomes } from './outcome.ts'
import { OutputSender, type SendOutput } from './output-files.ts'
import { childSpans } from './run-spans.ts'
import { Transfers } from './transfers.ts'
import type { Warm } from './warm-process.ts'

/** A run waits this long behind another of its group: it was claimed because those before it were short. */
const waitBehindMs = 250

export interface RunBatchDeps {
  readonly clock: Clock
  readonly runner: Pick<Runner<Loadable>, 'engine' | 'loads'>
  /** Of this run alone. */
  readonly inputs: InputFiles
  readonly sendOutput: SendOutput
  /** Has it noted what the run of a lease may cost, in millionths of a dollar. Rejects as `sendOutput` does. */
  readonly reserve: (lease: Lease, costMicros: number, signal: AbortSignal) => Promise<void>
  /** Takes what the run of a lease emits; as `OnEmit`. */
  readonly emit: (held: HeldLease, emission: Emission) => Promise<void>
  /** The run of one lease is over; `resultOf` is asked once what it emitted is answered. It is then no longer held. */
  readonly settle: (held: HeldLease, resultOf: () => Result | undefined) => void
}

/** What a stopped run is told to end with; `stop` of each lease says why. */
export interface ActiveRun {
  /** Stops what must be stopped now: leases whose `stop` is set, or whose time is over. */
  check(): void
  readonly done: Promise<void>
  /** Milliseconds that the run took; 0 until it is over. */
  readonly tookMs: number
}

/** What is to run, or why it can't. */
export type Loaded = ReturnType<Loadables<Loadable>['get']>

/** Begins a run of the leases in the warm process; where there is none, `loaded` says why. */
export function runBatch(
  deps: RunBatchDeps,
  loaded: Loaded,
  warm: Warm | undefined,
  held: readonly HeldLease[],
): ActiveRun {
  return new BatchRun(deps, loaded, warm, held)
}

class BatchRun implements ActiveRun {
  readonly #deps: RunBatchDeps
  readonly #warm: Warm | undefined
  readonly #outcomes: ReturnType<typeof outcomes>
  readonly #sender: OutputSender
  readonly #transfers = new Transfers(one => one.stop !== undefined && !this.#keepsBest(one))
  /** Ends the wait for the process once no lease needs it. */
  readonly #unwanted = new AbortController()
  #waiting: readonly HeldLease[]
  #running: readonly HeldLease[] = []
  /** When all that the run takes was there. */
  #readyAt: number | undefined
  #startedAt: number | undefined
  #spans: readonly (Span | undefined)[] = []
  #killing = false
  #isOver = false
  readonly #inputOf = new Map<HeldLease, InputFile>()
  readonly #givenTo = new Map<HeldLease, readonly AttachedFile[]>()
  readonly #usedBy = new Map<HeldLease, ModelUsage>()
  readonly #bestOf = new Map<HeldLease, ItemResult>()
  readonly done: Promise<void>
  tookMs = 0

  constructor(deps: RunBatchDeps, loaded: Loaded, warm: Warm | undefined, held: readonly HeldLease[]) {
    this.#deps = deps
    this.#warm = warm
    this.#waiting = held
    this.#outcomes = outcomes(deps.runner, loaded)
    this.#sender = new OutputSender({
      transfers: this.#transfers,
      sendOutput: deps.sendOutput,
      ofStop: this.#outcomes.ofStop,
      answer: (one, outcome, computeMs, files) => this.#answer(one, outcome, computeMs, files),
    })
    this.done = this.#execute()
  }

  check(): void {
    const now = this.#deps.clock.monotonic()
    this.#transfers.check()
    if (this.#startedAt === undefined) this.#checkWaiting(this.#isStuck(now))
    else if (!this.#isOver) this.#checkRunning(now, this.#startedAt) // Else its process may be in the next run.
  }

  async #execute(): Promise<void> {
    if (!this.#warm) return this.#fail(this.#outcomes.notLoadable())
    let result: RunResult
    try {
      const files = this.#waiting.filter(({ lease }) => lease.inputFileBytes !== undefined || lease.files.length > 0)
      if (files.length > 0) await this.#readInputs(files)
      if (this.#waiting.length === 0) return
      this.#readyAt = this.#deps.clock.monotonic()
      result = await this.#warm.run(
        () => this.#begin(),
        async (item, emission) => {
          const one = this.#running[item]
          if (one) await this.#deps.emit(one, emission)
        },
        this.#unwanted.signal,
      )
      this.tookMs = this.#elapsed()
    } catch (error) {
      return this.#fail(error)
    } finally {
      this.#isOver = this.#startedAt !== undefined
      for (const span of this.#spans) span?.end()
      this.#deps.inputs.close()
    }
    await this.#succeed(result)
  }

  async #readInputs(files: readonly HeldLease[]): Promise<void> {
    let room = MOST_BYTES_A_RUN
    await Promise.all(
      files.map(async one => {
        room -= bytesGiven(one.lease)
        if (room < 0) this.#leave(one, { case: 'returned', value: true })
        else await this.#readInput(one)
      }),
    )
  }

  async #readInput(one: HeldLease): Promise<void> {
    const { inputs } = this.#deps
    try {
      await this.#transfers.of(one, async signal => {
        if (one.lease.inputFileBytes !== undefined) this.#inputOf.set(one, await inputs.read(one.lease, signal))
        this.#givenTo.set(one, await inputs.given(one.lease, signal))
      })
    } catch (error) {
      if (!this.#waiting.includes(one)) return // It was stopped, and is answered.
      const fault = faultOfReading(error)
      if (fault === 'lost') one.stop ??= 'lost'
      if (fault === 'lost' || fault === 'away') this.#leave(one, { case: 'returned', value: true })
      else this.#leave(one, failure(fault.code, fault.message, fault.retryable))
    }
  }

  /** The outcome of one that will not run. */
  #leave(one: HeldLease, outcome: Outcome): void {
    this.#waiting = this.#waiting.filter(other => other !== one)
    this.#answer(one, outcome, 0)
  }

  /** Its process is free: what the run takes. */
  #begin(): readonly RunItem[] {
    this.#checkWaiting(false)
    this.#running = this.#waiting
    this.#waiting = []
    this.#startedAt = this.#deps.clock.monotonic()
    this.#spans = childSpans(this.#running)
    return this.#running.map(one => ({
      input: this.#inputOf.get(one) ?? one.lease.input,
      parameters: one.lease.parameters,
      files: this.#givenTo.get(one) ?? [],
      onUsage: (used: ModelUsage) => void this.#usedBy.set(one, used),
      onWait: (reason: string | undefined) => {
        one.waitsFor = reason
      },
      reserveCost: (costMicros: number) =>
        this.#transfers.of(one, signal => this.#deps.reserve(one.lease, costMicros, signal)),
      storeCheckpoint: async (bytes: Uint8Array) => {
        const checkpoint = { name: 'checkpoint', mediaType: 'application/octet-stream', bytes }
        const sending = this.#transfers.of(one, signal => this.#deps.sendOutput(one.lease, checkpoint, signal))
        await within(startSpan(spans.storeCheckpoint, one.span?.context), sending)
      },
      keepBest: (best: ItemResult) => void this.#bestOf.set(one, best),
    }))
  }

  async #succeed({ items, computeMs }: RunResult): Promise<void> {
    const { loads } = this.#deps.runner
    const ms = this.#share(computeMs)
    const gaveNone = failure(`${loads}_failed`, `The ${loads} gave no answer.`, true)
    // The run was over before it could be stopped: for a time-out that is in time.
    const sending = this.#running.map((one, i) => {
      const item = items[i]
      return item ? this.#send(one, item, ms) : this.#answer(one, gaveNone, ms)
    })
    await Promise.all(sending)
  }

  async #send(one: HeldLease, item: ItemResult, ms: number): Promise<void> {
    if (!item.ok) this.#answer(one, failure(item.code, item.message, item.retryable), ms)
    else if ('output' in item) this.#answer(one, { case: 'output', value: item.output.toString() }, ms)
    else if ('file' in item) await this.#sender.output(one, item.file, ms)
    else await this.#sender.artifacts(one, item, ms)
  }

  async #fail(error: unknown): Promise<void> {
    const { ofError, ofStop } = this.#outcomes
    if (this.#startedAt === undefined) {
      this.#checkWaiting(false)
      for (const one of this.#waiting) this.#answer(one, ofError(error), 0)
      this.#waiting = []
      return
    }
    const tookMs = error instanceof RunnerGone ? error.computeMs : undefined
    const computeMs = this.#share(tookMs ?? this.#elapsed())
    const alone = this.#running.length === 1
    const sending = this.#running.map(one => {
      const best = this.#bestOf.get(one)
      if (best && this.#keepsBest(one)) return this.#send(one, best, computeMs)
      // Which neighbour crashed a shared run is not known: each goes back and runs alone.
      return this.#answer(one, one.stop || this.#killing || !alone ? ofStop(one) : ofError(error), computeMs)
    })
    await Promise.all(sending)
  }

  /** Whether its owner has cancelled it, and gets the best that it has made. */
  #keepsBest(one: HeldLease): boolean {
    return one.stop === 'cancelled' && this.#bestOf.has(one)
  }

  /** What is stopped before its run began is answered at once; what is stuck goes back. */
  #checkWaiting(stuck: boolean): void {
    for (const one of this.#waiting) {
      if (!one.stop && !stuck) continue
      this.#answer(one, { case: 'returned', value: true }, 0)
      this.#transfers.end(one)
    }
    this.#waiting = stuck ? [] : this.#waiting.filter(one => !one.stop)
    if (this.#waiting.length === 0) this.#unwanted.abort()
  }

  /** Whether it waits behind a run that goes on and on. */
  #isStuck(now: number): boolean {
    return this.#warm?.isRunning === true && this.#readyAt !== undefined && now - this.#readyAt > waitBehindMs
  }

  #checkRunning(now: number, startedAt: number): void {
    for (const one of this.#running) if (now - startedAt >= one.runTimeoutMs) one.stop ??= 'run_timeout'
    if (this.#killing || !this.#running.some(one => one.stop)) return
    this.#killing = true
    this.#warm?.kill().catch(() => {}) // Its run rejects in any case, and that is where it is answered.
  }

  /** What was decided about the run before its result could go, by its owner or for what it emitted, has the last word. */
  #answer(one: HeldLease, outcome: Outcome, computeMs: number, files: readonly string[] = []): void {
    const { decided, resultOf } = this.#outcomes
    this.#deps.settle(one, () => {
      if (one.stop === 'lost') return undefined
      const ended = outcome.case === 'output' && this.#keepsBest(one) ? outcome : (decided(one) ?? outcome)
      return resultOf(one.lease, ended, { computeMs, files, used: this.#usedBy.get(one) })
    })
  }

  /** Of the run's milliseconds, those of each lease. */
  #share(ms: number): number {
    return Math.ceil(ms / Math.max(1, this.#running.length))
  }

  #elapsed(): number {
    return this.#startedAt === undefined ? 0 : this.#deps.clock.monotonic() - this.#startedAt
  }
}
