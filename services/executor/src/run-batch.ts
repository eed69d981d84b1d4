/** One run: the leases of one group together, from their claim to a result for each. */

import type { Lease, Result } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import type {
  AttachedFile,
  Emission,
  InputFile,
  ItemResult,
  Loadable,
  Loadables,
  ModelUsage,
  OutputFile,
  Runner,
  RunResult,
} from '@millhand/child-process'
import type { Clock } from '@millhand/process'
import { bytesGiven, faultOfReading, type InputFiles, MOST_BYTES_A_RUN } from './input-files.ts'
import type { HeldLease } from './lease.ts'
import { failure, outcomes } from './outcome.ts'
import { faultOfSending, type Sent } from './output-files.ts'
import { uploadInParallel } from './parallel-uploads.ts'
import { fits } from './result-limit.ts'
import { Transfers } from './transfers.ts'
import type { Warm } from './warm-processes.ts'

/** A run waits this long behind another of its group: it was claimed because those before it were short. */
const waitBehindMs = 250

export interface RunBatchDeps {
  readonly clock: Clock
  readonly runner: Pick<Runner<Loadable>, 'engine' | 'loads'>
  /** Of this run alone. */
  readonly inputs: InputFiles
  /** Stores an output or an artifact; the id of its file. Rejects with what kept it, and with the signal's reason. */
  readonly sendOutput: (lease: Lease, file: Sent, signal: AbortSignal) => Promise<string>
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

export function runBatch(
  { clock, runner, inputs, sendOutput, reserve, emit, settle }: RunBatchDeps,
  loaded: ReturnType<Loadables<Loadable>['get']>,
  warm: Warm | undefined,
  held: readonly HeldLease[],
): ActiveRun {
  let waiting: readonly HeldLease[] = held
  let running: readonly HeldLease[] = []
  let startedAt: number | undefined
  let killing = false
  let isOver = false
  const inputOf = new Map<HeldLease, InputFile>()
  const givenTo = new Map<HeldLease, readonly AttachedFile[]>()
  const usedBy = new Map<HeldLease, ModelUsage>()
  const transfers = new Transfers()
  /** When all that the run takes was there. */
  let readyAt: number | undefined
  const run = { check, done: Promise.resolve(), tookMs: 0 }

  const { decided, ofStop, ofError, notLoadable, resultOf } = outcomes(runner, loaded)
  const share = (ms: number) => Math.ceil(ms / Math.max(1, running.length))
  const elapsed = () => (startedAt === undefined ? 0 : clock.monotonic() - startedAt)
  /** What was decided about the run before its result could go, by its owner or for what it emitted, has the last word. */
  const answer = (one: HeldLease, outcome: Result['outcome'], computeMs: number, files: readonly string[] = []) =>
    settle(one, () =>
      one.stop === 'lost'
        ? undefined
        : resultOf(one.lease, decided(one) ?? outcome, { computeMs, files, used: usedBy.get(one) }),
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
        room -= bytesGiven(one.lease)
        if (room < 0) leave(one, { case: 'returned', value: true })
        else await readInput(one)
      }),
    )
  }

  async function readInput(one: HeldLease): Promise<void> {
    try {
      await transfers.of(one, async signal => {
        if (one.lease.inputFileBytes !== undefined) inputOf.set(one, await inputs.read(one.lease, signal))
        givenTo.set(one, await inputs.given(one.lease, signal))
      })
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
    return running.map(one => ({
      input: inputOf.get(one) ?? one.lease.input,
      parameters: one.lease.parameters,
      files: givenTo.get(one) ?? [],
      onUsage: (used: ModelUsage) => void usedBy.set(one, used),
      reserveCost: (costMicros: number) => transfers.of(one, signal => reserve(one.lease, costMicros, signal)),
    }))
  }

  async function succeeded({ items, computeMs }: RunResult): Promise<void> {
    const sending: Promise<void>[] = []
    running.forEach((one, i) => {
      const item: ItemResult | undefined = items[i]
      const ms = share(computeMs)
      // The run was over before it could be stopped: for a time-out that is in time.
      if (!item) answer(one, failure(`${runner.loads}_failed`, `The ${runner.loads} gave no answer.`, true), ms)
      else if (!item.ok) answer(one, failure(item.code, item.message, item.retryable), ms)
      else if ('output' in item) answer(one, { case: 'output', value: item.output }, ms)
      else sending.push('file' in item ? sendWhole(one, item.file, ms) : sendParts(one, item, ms))
    })
    await Promise.all(sending)
  }

  async function sendWhole(one: HeldLease, file: OutputFile, ms: number): Promise<void> {
    try {
      const [value] = (await sendAll(one, [file], ms)) ?? []
      if (value !== undefined) answer(one, { case: 'outputFile', value }, ms)
    } finally {
      await file.handle.close()
    }
  }

  /** The files first, whose ids the output has. */
  async function sendParts(one: HeldLease, { artifacts, outputOf }: WithArtifacts, ms: number): Promise<void> {
    const files = await sendAll(one, artifacts, ms)
    if (files === undefined) return
    const output = outputOf(files)
    if (fits(output)) return answer(one, { case: 'output', value: output }, ms, files)
    const [value] = (await sendAll(one, [{ bytes: Buffer.from(output) }], ms)) ?? []
    if (value !== undefined) answer(one, { case: 'outputFile', value }, ms, files)
  }

  /** The ids of the files, in their order; undefined where one could not be stored, and the lease is answered. */
  async function sendAll(one: HeldLease, files: readonly Sent[], ms: number): Promise<readonly string[] | undefined> {
    try {
      return await transfers.of(one, signal =>
        uploadInParallel(files, signal, (file, ends) => sendOutput(one.lease, file, ends)),
      )
    } catch (error) {
      const fault = one.stop ? 'lost' : faultOfSending(error)
      if (fault === 'lost') one.stop ??= 'lost'
      answer(one, fault === 'lost' ? ofStop(one) : failure(fault.code, fault.message, fault.retryable), ms)
      return undefined
    }
  }

  function failed(error: unknown): void {
    if (startedAt === undefined) {
      checkWaiting(false)
      for (const one of waiting) answer(one, ofError(error), 0)
      waiting = []
      return
    }
    const computeMs = share(elapsed())
    const alone = running.length === 1
    for (const one of running) {
      // Which neighbour crashed a shared run is not known: each goes back and runs alone.
      if (one.stop || killing || !alone) answer(one, ofStop(one), computeMs)
      else answer(one, ofError(error), computeMs)
    }
  }

  async function execute(): Promise<void> {
    if (!warm) return failed(notLoadable())
    let result: RunResult
    try {
      const files = waiting.filter(({ lease }) => lease.inputFileBytes !== undefined || lease.files.length > 0)
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

type WithArtifacts = Extract<ItemResult, { artifacts: unknown }>
