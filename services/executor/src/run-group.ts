/** One run: the leases of one model together, from their claim to a result for each. */
import type { Lease, Result } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { type CatalogueEntry, excerpt } from '@millhand/model'
import type { Clock } from '@millhand/runner'
import type { Emission } from './emission.ts'
import type { HeldLease } from './held-lease.ts'
import { faultOfReading, type InputFiles, MOST_BYTES_A_RUN } from './input-files.ts'
import {
  type InputFile,
  type ItemResult,
  ModelLoadFailed,
  type ModelRunner,
  type OutputFile,
  RunnerGone,
  type RunResult,
} from './model-runner.ts'
import { faultOfSending } from './output-files.ts'
import { Transfers } from './transfers.ts'
import type { WarmModel } from './warm-models.ts'

/** A run waits this long behind another of its model: it was claimed because those before it were short. */
const waitBehindMs = 250

export interface RunGroupDeps {
  readonly clock: Clock
  readonly engine: ModelRunner['engine']
  /** Of this run alone. */
  readonly inputs: InputFiles
  /** Stores an output; the id of its file. Rejects with what kept it, and with the signal's reason. */
  readonly sendOutput: (lease: Lease, file: OutputFile, signal: AbortSignal) => Promise<string>
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
  /** Milliseconds that the model's run took; 0 until it is over. */
  readonly tookMs: number
}

export function runGroup(
  { clock, engine, inputs, sendOutput, emit, settle }: RunGroupDeps,
  model: CatalogueEntry | undefined,
  warm: WarmModel | undefined,
  held: readonly HeldLease[],
): ActiveRun {
  let waiting: readonly HeldLease[] = held
  let running: readonly HeldLease[] = []
  let startedAt: number | undefined
  let killing = false
  let isOver = false
  const inputOf = new Map<HeldLease, InputFile>()
  const transfers = new Transfers()
  /** When all that the run takes was there. */
  let readyAt: number | undefined
  const run = { check, done: Promise.resolve(), tookMs: 0 }

  const version = model?.status === 'ready' ? model.version : ''
  const share = (ms: number) => Math.ceil(ms / Math.max(1, running.length))
  const elapsed = () => (startedAt === undefined ? 0 : clock.monotonic() - startedAt)
  /** What was decided about the run before its result could go, by its owner or for what it emitted, has the last word. */
  const answer = (one: HeldLease, outcome: Result['outcome'], computeMs: number) =>
    settle(one, () =>
      one.stop === 'lost' ? undefined : resultOf(one.lease, decided(one) ?? outcome, computeMs, engine, version),
    )

  function check(): void {
    const now = clock.monotonic()
    transfers.check()
    if (startedAt === undefined) checkWaiting(isStuck(now))
    else if (!isOver) checkRunning(now, startedAt) // Else its process may be in the next run.
  }

  function checkRunning(now: number, startedAt: number): void {
    for (const one of running) if (now - startedAt >= one.runTimeoutMs) one.stop ??= 'run_timeout'
    if (killing || !running.some(one => one.stop)) return
    killing = true
    warm?.kill().catch(() => {}) // Its run rejects in any case, and that is where it is answered.
  }

  /** Whether it waits behind a run that goes on and on. */
  const isStuck = (now: number) => warm?.isRunning === true && readyAt !== undefined && now - readyAt > waitBehindMs

  /** What is stopped before its run began is answered at once; what is stuck goes back. */
  function checkWaiting(stuck: boolean): void {
    for (const one of waiting) {
      if (!one.stop && !stuck) continue
      answer(one, { case: 'returned', value: true }, 0)
      transfers.end(one)
    }
    waiting = stuck ? [] : waiting.filter(one => !one.stop)
  }

  /** The outcome of one that will not run. */
  function leave(one: HeldLease, outcome: Result['outcome']): void {
    waiting = waiting.filter(other => other !== one)
    answer(one, outcome, 0)
  }

  async function readInputs(files: readonly HeldLease[]): Promise<void> {
    let room = MOST_BYTES_A_RUN
    await Promise.all(
      files.map(async one => {
        room -= one.lease.inputFileBytes ?? 0
        if (room < 0) leave(one, { case: 'returned', value: true })
        else await readInput(one)
      }),
    )
  }

  async function readInput(one: HeldLease): Promise<void> {
    try {
      inputOf.set(one, await transfers.of(one, signal => inputs.read(one.lease, signal)))
    } catch (error) {
      if (!waiting.includes(one)) return // It was stopped, and is answered.
      const fault = faultOfReading(error)
      if (fault === 'lost') one.stop ??= 'lost'
      if (fault === 'lost' || fault === 'away') leave(one, { case: 'returned', value: true })
      else leave(one, failure(fault.code, fault.message, fault.retryable))
    }
  }

  function begin() {
    checkWaiting(false)
    running = waiting
    waiting = []
    startedAt = clock.monotonic()
    return running.map(one => ({ input: inputOf.get(one) ?? one.lease.input, parameters: one.lease.parameters }))
  }

  async function succeeded({ items, computeMs }: RunResult): Promise<void> {
    const sending: Promise<void>[] = []
    running.forEach((one, i) => {
      const item: ItemResult | undefined = items[i]
      const ms = share(computeMs)
      // The run was over before it could be stopped: for a time-out that is in time.
      if (!item) answer(one, failure('model_failed', 'The model gave no answer.', true), ms)
      else if (!item.ok) answer(one, failure(item.code, item.message, item.retryable), ms)
      else if ('output' in item) answer(one, { case: 'output', value: item.output }, ms)
      else sending.push(send(one, item.file, ms))
    })
    await Promise.all(sending)
  }

  async function send(one: HeldLease, file: OutputFile, computeMs: number): Promise<void> {
    try {
      const value = await transfers.of(one, signal => sendOutput(one.lease, file, signal))
      answer(one, { case: 'outputFile', value }, computeMs)
    } catch (error) {
      const fault = one.stop ? 'lost' : faultOfSending(error)
      if (fault === 'lost') one.stop ??= 'lost'
      answer(
        one,
        fault === 'lost' ? outcomeOfStop(one) : failure(fault.code, fault.message, fault.retryable),
        computeMs,
      )
    } finally {
      await file.handle.close()
    }
  }

  function failed(error: unknown): void {
    if (startedAt === undefined) {
      checkWaiting(false)
      for (const one of waiting) answer(one, failureOf(error), 0)
      waiting = []
      return
    }
    const computeMs = share(elapsed())
    const alone = running.length === 1
    for (const one of running) {
      // Which neighbour crashed a shared run is not known: each goes back and runs alone.
      if (one.stop || killing || !alone) answer(one, outcomeOfStop(one), computeMs)
      else answer(one, failureOf(error), computeMs)
    }
  }

  async function execute(): Promise<void> {
    if (!warm) return failed(new ModelLoadFailed('model_broken', brokenMessage(model)))
    let result: RunResult
    try {
      const files = waiting.filter(({ lease }) => lease.inputFileBytes !== undefined)
      if (files.length > 0) await readInputs(files)
      if (waiting.length === 0) return
      readyAt = clock.monotonic()
      result = await warm.run(begin, async (item, emission) => {
        const one = running[item]
        if (one) await emit(one, emission)
      })
      run.tookMs = elapsed()
    } catch (error) {
      return failed(error)
    } finally {
      isOver = startedAt !== undefined
      inputs.close()
    }
    await succeeded(result)
  }

  run.done = execute()
  return run
}

/** However the run itself ended. */
function decided({ stop }: HeldLease): Result['outcome'] | undefined {
  if (stop === 'cancelled') return { case: 'cancelled', value: true }
  if (stop === 'output_too_large') return failure('output_too_large', 'The run emitted more than a task may.', false)
  if (stop === 'emission_invalid') return failure('model_failed', 'The run emitted what can not be stored.', false)
  return undefined
}

/** Of a run that was ended before it was over. */
function outcomeOfStop({ stop, runTimeoutMs }: HeldLease): Result['outcome'] {
  if (stop === 'run_timeout') {
    return failure('run_timeout', `The run took longer than ${runTimeoutMs / 1000} s and was stopped.`, false)
  }
  return { case: 'evicted', value: true }
}

const brokenMessage = (model: CatalogueEntry | undefined): string =>
  model?.status === 'broken' ? `The model is broken: ${model.problem}` : 'The model is not there any more.'

function failureOf(error: unknown): Result['outcome'] {
  if (error instanceof ModelLoadFailed) return failure(error.code, error.message, false)
  if (error instanceof RunnerGone && error.reason === 'out_of_memory') {
    return failure('out_of_memory', 'The run needed more memory than a model may have, and was stopped.', false)
  }
  if (error instanceof RunnerGone && error.reason === 'not_started') {
    return failure('model_not_started', `No process could be started for the model. ${notTheTask}`, true)
  }
  if (error instanceof RunnerGone) {
    return failure('model_crashed', 'The process that ran the model ended unexpectedly.', true)
  }
  return failure('model_failed', `The model could not be run. ${notTheTask}`, true)
}

const notTheTask = 'That is no fault of the task; the log of the service says what is in the way.'

const failure = (code: string, message: string, retryable: boolean): Result['outcome'] => ({
  case: 'failure',
  value: { $typeName: 'millhand.lease.v1.Failure', code, message: excerpt(message, MOST_MESSAGE), retryable },
})

/** Characters, before an ellipsis. The contract's bound is 2,048; a result over it is refused. */
const MOST_MESSAGE = 2_000

const resultOf = (
  lease: Lease,
  outcome: Result['outcome'],
  computeMs: number,
  engine: ModelRunner['engine'],
  groupVersion: string,
): Result => ({
  $typeName: 'millhand.lease.v1.Result',
  leaseId: lease.id,
  tenant: lease.tenant,
  workId: lease.workId,
  attempt: lease.attempt,
  outcome,
  computeMs: Math.ceil(computeMs),
  engineKind: engine.kind,
  engineName: engine.name,
  provider: engine.provider,
  groupVersion,
  artifactFiles: [],
  inputTokens: 0,
  outputTokens: 0,
  modelCostMicros: 0,
})
