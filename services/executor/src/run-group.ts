/** One run: the leases of one model together, from their claim to a result for each. */
import type { Lease, Result } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { type CatalogueEntry, excerpt } from '@millhand/model'
import type { Clock } from '@millhand/runner'
import type { HeldLease } from './held-lease.ts'
import { type ItemResult, ModelLoadFailed, type ModelRunner, RunnerGone } from './model-runner.ts'
import type { WarmModel } from './warm-models.ts'

/** A run waits this long behind another of its model: it was claimed because those before it were short. */
const waitBehindMs = 250

export interface RunGroupDeps {
  readonly clock: Clock
  readonly engine: ModelRunner['engine']
  /** Takes the result of one lease; it is then no longer held. */
  readonly settle: (held: HeldLease, result: Result | undefined) => void
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
  { clock, engine, settle }: RunGroupDeps,
  model: CatalogueEntry | undefined,
  warm: WarmModel | undefined,
  held: readonly HeldLease[],
): ActiveRun {
  let waiting: readonly HeldLease[] = held
  let running: readonly HeldLease[] = []
  let startedAt: number | undefined
  let killing = false
  const claimedAt = clock.monotonic()
  const run = { check, done: Promise.resolve(), tookMs: 0 }

  const version = model?.status === 'ready' ? model.version : ''
  const share = (ms: number) => Math.ceil(ms / Math.max(1, running.length))
  const elapsed = () => (startedAt === undefined ? 0 : clock.monotonic() - startedAt)
  const answer = (one: HeldLease, outcome: Result['outcome'], computeMs: number) =>
    settle(one, resultOf(one.lease, outcome, computeMs, engine, version))

  function check(): void {
    const now = clock.monotonic()
    if (startedAt === undefined) checkWaiting(now)
    else checkRunning(now, startedAt)
  }

  function checkRunning(now: number, startedAt: number): void {
    for (const one of running) if (now - startedAt >= one.runTimeoutMs) one.stop ??= 'run_timeout'
    if (killing || !running.some(one => one.stop)) return
    killing = true
    warm?.kill().catch(() => {}) // Its run rejects in any case, and that is where it is answered.
  }

  /** What is stopped before its run began is answered at once; what waits behind a run that goes on and on goes back. */
  function checkWaiting(now: number): void {
    const stuck = warm?.isRunning === true && now - claimedAt > waitBehindMs
    for (const one of waiting) {
      if (one.stop === 'cancelled' || one.stop === 'lost') stopped(one, 0)
      else if (one.stop || stuck) answer(one, { case: 'returned', value: true }, 0)
    }
    waiting = stuck ? [] : waiting.filter(one => !one.stop)
  }

  function begin() {
    checkWaiting(claimedAt)
    running = waiting
    waiting = []
    startedAt = clock.monotonic()
    return running.map(({ lease }) => ({ input: lease.input, parameters: lease.parameters }))
  }

  function stopped(one: HeldLease, computeMs: number): void {
    if (one.stop === 'lost') settle(one, undefined)
    else answer(one, outcomeOfStop(one), computeMs)
  }

  function succeeded(items: readonly ItemResult[], computeMs: number): void {
    running.forEach((one, i) => {
      const item = items[i]
      // The run was over before it could be stopped: for a time-out that is in time, a cancelled task stays cancelled.
      if (one.stop === 'lost') settle(one, undefined)
      else if (one.stop === 'cancelled') stopped(one, share(computeMs))
      else if (!item) answer(one, failure('model_failed', 'The model gave no answer.', true), share(computeMs))
      else if (item.ok) answer(one, { case: 'output', value: item.output }, share(computeMs))
      else answer(one, failure(item.code, item.message, item.retryable), share(computeMs))
    })
  }

  function failed(error: unknown): void {
    if (startedAt === undefined) {
      checkWaiting(claimedAt)
      for (const one of waiting) answer(one, failureOf(error), 0)
      waiting = []
      return
    }
    const computeMs = share(elapsed())
    const alone = running.length === 1
    for (const one of running) {
      // Which neighbour crashed a shared run is not known: each goes back and runs alone.
      if (one.stop || killing || !alone) stopped(one, computeMs)
      else answer(one, failureOf(error), computeMs)
    }
  }

  async function execute(): Promise<void> {
    if (!warm) return failed(new ModelLoadFailed('model_broken', brokenMessage(model)))
    try {
      const onProgress = (progress: { fraction: number; message?: string }) => {
        for (const one of running) one.progress = progress
      }
      const { items, computeMs } = await warm.run(begin, onProgress)
      run.tookMs = elapsed()
      succeeded(items, computeMs)
    } catch (error) {
      failed(error)
    }
  }

  run.done = execute()
  return run
}

function outcomeOfStop({ stop, runTimeoutMs }: HeldLease): Result['outcome'] {
  if (stop === 'cancelled') return { case: 'cancelled', value: true }
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
})
