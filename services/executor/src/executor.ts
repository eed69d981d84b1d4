/** Claims work from a pool, runs it in the processes of what it needs, keeps its leases meanwhile, gives the results back. */

import type { MessageInitShape } from '@bufbuild/protobuf'
import type { Result, Run } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import type { ClaimRequestSchema, ClaimResponse } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import type { Emission, Loadable, Loadables, Runner } from '@millhand/child-process'
import type { ModelPackage } from '@millhand/model'
import { everyInterval } from '@millhand/process'
import { Emissions } from './emissions.ts'
import { type ExecutorMetrics, executorMetrics } from './executor-metrics.ts'
import type { ExecutorOptions } from './executor-options.ts'
import { inputFiles } from './input-files.ts'
import { type HeldLease, takeRenewed, tracesOf } from './lease.ts'
import { runLines } from './lines/lines-run.ts'
import { linesStore } from './lines/store-lines.ts'
import { inBatches } from './message-batches.ts'
import { NewcomerSlot, type RunningGroup } from './newcomer-slot.ts'
import { outputFiles } from './output-files.ts'
import { reserveCost } from './reserve-cost.ts'
import { Results } from './results.ts'
import { type ActiveRun, runBatch } from './run-batch.ts'
import { endRun, holdLeases } from './run-spans.ts'
import { RunTimes } from './run-times.ts'
import { WarmProcesses } from './warm-processes.ts'

export { chooseSandbox, type SandboxMode } from '@millhand/child-process'

export type { ExecutorOptions } from './executor-options.ts'
export { copiedModels, describedModels } from './leased-models.ts'

export type ModelRunner = Runner<ModelPackage>

const renewEveryMs = 1_000
const checkEveryMs = 100
const claimWaitMs = 30_000
/** How soon claims that failed are repeated: so soon at first, twice as late each time up to the second. */
const askAgainMs = [100, 2_000] as const

/** What shares runs, and whose last was shorter than this, gets its next while one is on: the hop takes longer. */
const shortRunMs = 50

/** How long runs may go on once the executor stops; then they go back to the queue. */
const finishWithinMs = 3_000

export interface Executor {
  /** Claims and runs work until the signal ends. */
  run(signal: AbortSignal): Promise<void>
  /** Somebody says that there is work: whoever waits to ask again asks now. */
  ring(): void
}

export function createExecutor<L extends Loadable>(options: ExecutorOptions<L>): Executor {
  return new LeasedRuns(options)
}

class LeasedRuns<L extends Loadable> implements Executor {
  readonly #options: ExecutorOptions<L>
  readonly #id = `exec_${crypto.randomUUID()}`
  readonly #warm: WarmProcesses<L>
  readonly #emissions: Emissions
  readonly #results: Results
  readonly #held = new Set<HeldLease>()
  readonly #active = new Map<ActiveRun, RunningGroup & { readonly over: Promise<void> }>()
  readonly #newcomers: NewcomerSlot
  /** How long the latest run of each group took that shares runs. */
  readonly #tookMs = new RunTimes()
  #isStopping = false
  /** Ends claims that are not answered. */
  readonly #unanswered = new AbortController()
  #asking = false
  /** The latest claim: over once what it was given has begun. */
  #claimed: Promise<void> | undefined
  #failedClaims = 0
  /** Ends the pause after a claim that failed. */
  #askNow: () => void = () => {}
  /** Whether the claim that waits was told to end. */
  #endsWait = false
  #renewing = false
  /** Results on their way. */
  readonly #delivering = new Set<Promise<void>>()
  readonly #metrics: ExecutorMetrics

  constructor(options: ExecutorOptions<L>) {
    this.#options = options
    this.#metrics = executorMetrics(options.pool)
    this.#warm = new WarmProcesses({ ...options, isListed: id => options.models.get(id) !== undefined })
    this.#emissions = new Emissions({ ...options, executorId: this.#id })
    this.#results = new Results({ ...options, executorId: this.#id })
    this.#newcomers = new NewcomerSlot({
      ...options,
      executorId: this.#id,
      sharesProcesses: !hasOwnProcesses(options),
      signal: this.#unanswered.signal,
      start: (run, begunAt) => void this.#start(run, begunAt, true),
    })
  }

  /** Until the signal ends; then runs may finish for 3 s, what is left goes back, and every process is ended. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, slots } = this.#options
    using _ = this.#metrics.observe(() => ({ slots, busy: this.#active.size, ...this.#warm.held() }))
    this.#ask()
    let renewedAt = clock.monotonic()
    await everyInterval(clock, checkEveryMs, signal, () => {
      if (clock.monotonic() - renewedAt >= renewEveryMs) {
        renewedAt = clock.monotonic()
        void this.#renew()
      }
      this.#check()
      this.#newcomers.check([...this.#active.values()])
    })
    await this.#stop()
  }

  /** Asks for as much work as there is room for. A claim that waits meanwhile knows of less room, and is ended first. */
  #ask(): void {
    const { pool, slots, device } = this.#options
    const runs = Math.min(64, slots - this.#active.size)
    if (runs <= 0 || this.#isStopping) return
    if (this.#asking) return void this.#endWait()
    this.#asking = true
    this.#endsWait = false
    const askedAt = this.#options.clock.monotonic()
    const room = { pool, runs, busyGroups: this.#busy() }
    const request = { executorId: this.#id, ...room, waitMs: claimWaitMs, ...(device && { device }) }
    this.#claimed = this.#claim(request).then(
      answer => {
        this.#asking = false
        this.#failedClaims = 0
        for (const run of answer.runs) void this.#start(run, askedAt + answer.waitedMs)
        this.#ask()
      },
      error => this.#askLater(error),
    )
  }

  #endWait(): void {
    if (this.#endsWait) return
    this.#endsWait = true
    // Where it fails, that claim ends by its own time.
    this.#claim({ executorId: this.#id, pool: this.#options.pool, runs: 0 }).catch(() => {})
  }

  #claim(request: MessageInitShape<typeof ClaimRequestSchema>): Promise<ClaimResponse> {
    return this.#options.leases.claim(request, { signal: this.#unanswered.signal })
  }

  #askLater(error: unknown): void {
    if (this.#isStopping) return
    this.#options.log.warn('claim.failed', { error })
    this.#metrics.claimFailed()
    const pauseMs = Math.min(askAgainMs[1], askAgainMs[0] * 2 ** this.#failedClaims++)
    const timer = this.#options.clock.timer(pauseMs, () => this.#askNow())
    this.#askNow = () => {
      timer.cancel()
      this.#askNow = () => {}
      this.#asking = false
      this.#ask()
    }
  }

  ring(): void {
    this.#askNow()
  }

  #busy(): string[] {
    if (hasOwnProcesses(this.#options)) return []
    const running = new Map<string, number>()
    for (const { group } of this.#active.values()) running.set(group, (running.get(group) ?? 0) + 1)
    const room = (group: string) => (this.#tookMs.of(group) < shortRunMs ? 2 : 1)
    return [...running].filter(([group, runs]) => runs >= room(group)).map(([group]) => group)
  }

  /** Resolves once the run is over. `beside`: it shares no process with others. */
  #start(lent: Run, begunAt: number, beside = false): Promise<void> {
    const { group, leases } = lent
    this.#metrics.runBegan(leases.length)
    const { leases: service, models, leasedModels, clock, runner, log } = this.#options
    const held = holdLeases(lent, begunAt)
    for (const one of held) this.#held.add(one)
    const leased = leasedModels?.of(lent)
    const model = leased ?? models.get(group)
    const hold = leased && leasedModels ? leasedModels.hold(lent, held) : undefined
    const tenant = leases[0]?.tenant ?? ''
    const ready = model?.status === 'ready' ? model : undefined
    const deps = {
      clock,
      runner,
      inputs: inputFiles(service, clock, log),
      sendOutput: outputFiles(service, clock, log),
      reserve: reserveCost(service, clock, log),
      emit: (one: HeldLease, emission: Emission) => this.#emissions.emit(one, emission),
      settle: (one: HeldLease, result: () => Result | undefined) => this.#settle(one, result),
    }
    const lines = held.find(({ lease }) => lease.lines)
    const own = ready && (lines || this.#options.ownProcesses) ? this.#warm.own(ready, hold) : undefined
    const run = lines
      ? runLines({ ...deps, lines: linesStore(service, clock, log) }, model, own, lines)
      : runBatch(deps, model, own ?? (ready && this.#warm.get(ready, tenant, beside, hold)), held)
    const over = run.done
      .catch(error => {
        log.error('run.broke', { model: group, ...tracesOf(held), error })
        for (const one of held) this.#held.delete(one) // Nobody answers them: others get them once they end.
      })
      .then(() => {
        if (!lines) own?.release()
        this.#active.delete(run)
        if (run.tookMs > 0 && sharesRuns(model)) this.#tookMs.set(group, run.tookMs)
        this.#newcomers.check([...this.#active.values()])
        this.#ask()
      })
    this.#active.set(run, { group, tenant, startedAt: clock.monotonic(), over })
    return over
  }

  #settle(held: HeldLease, resultOf: () => Result | undefined): void {
    const delivery = this.#deliver(held, resultOf).then(() => {
      this.#delivering.delete(delivery)
    })
    this.#delivering.add(delivery)
  }

  /** The lease is kept until its result has arrived: an answer that is late by a second is not lost. */
  async #deliver(held: HeldLease, resultOf: () => Result | undefined): Promise<void> {
    await this.#emissions.answered(held)
    const result = resultOf()
    if (result) await this.#results.give(result)
    endRun(held, result)
    this.#held.delete(held)
  }

  /** Renews every lease; what the answer says is to be stopped is stopped. */
  async #renew(): Promise<void> {
    if (this.#renewing) return
    this.#renewing = true
    await Promise.all(inBatches([...this.#held], renewPortion).map(held => this.#renewSome(held)))
    this.#renewing = false
    this.#check()
  }

  async #renewSome(held: readonly HeldLease[]): Promise<void> {
    const { leases, clock, log } = this.#options
    const askedAt = clock.monotonic()
    const request = { executorId: this.#id, pool: this.#options.pool, leases: held.map(toRenewal) }
    try {
      const answer = await leases.renew(request, { timeoutMs: 5_000 })
      held.forEach((one, i) => {
        takeRenewed(one, answer.leases[i], askedAt)
      })
    } catch (error) {
      log.warn('renew.failed', { leases: held.length, ...tracesOf(held), error })
    }
  }

  /** Stops runs that are cancelled, too long, or whose lease is about to end unrenewed; one that is both took too long. */
  #check(): void {
    for (const run of this.#active.keys()) run.check()
    const now = this.#options.clock.monotonic() // What is lost stops at the next check.
    for (const one of this.#held) if (now >= one.stopAt) one.stop ??= 'lost'
  }

  async #stop(): Promise<void> {
    const { clock } = this.#options
    this.#isStopping = true
    const finished = this.#endClaims().then(() => this.#allOver())
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = clock.timer(finishWithinMs, resolve)
    await Promise.race([finished, late])
    timer.cancel()
    this.#unanswered.abort()
    await this.#endClaims() // An answer may have come at this moment: what it gave goes back as well.
    for (const one of this.#held) one.stop ??= 'shutting_down'
    this.#check()
    await this.#warm.close()
    await this.#allOver()
    await Promise.all(this.#delivering)
  }

  /** What a claim was given is nobody else's: an answer on its way is waited for. */
  async #endClaims(): Promise<void> {
    if (this.#asking) this.#endWait()
    await Promise.all([this.#claimed, this.#newcomers.close()])
  }

  async #allOver(): Promise<void> {
    await Promise.all([...this.#active.values()].map(({ over }) => over))
  }
}

const hasOwnProcesses = <L extends Loadable>({ ownProcesses, runner }: ExecutorOptions<L>): boolean =>
  ownProcesses === true || runner.ownProcesses === true

const sharesRuns = (model: ReturnType<Loadables<Loadable>['get']>): boolean =>
  model?.status === 'ready' && (model.manifest?.maxBatch ?? 1) > 1

/** How many one call may renew by the contract: 64 runs may hold more. */
const renewPortion = { size: 1_000, sizeOf: () => 1 }

const toRenewal = ({ lease: { id, tenant, workId } }: HeldLease) => ({ id, tenant, workId })
