/** Claims work from a pool, runs it in the processes of its models, keeps its leases meanwhile, gives the results back. */
import type { MessageInitShape } from '@bufbuild/protobuf'
import { durationMs } from '@bufbuild/protobuf/wkt'
import type { Client } from '@connectrpc/connect'
import {
  type ClaimRequestSchema,
  type ClaimResponse,
  type LeaseService,
  Renewed_Verdict,
  type Result,
  type Run,
} from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { type Catalogue, type CatalogueEntry, excerpt } from '@millhand/model'
import { type Clock, everyInterval } from '@millhand/runner'
import type { Log } from '@millhand/telemetry'
import { extendLease, type HeldLease, holdLease, type Stop } from './held-lease.ts'
import type { ModelRunner, Progress } from './model-runner.ts'
import { inPortions } from './portions.ts'
import { Results } from './results.ts'
import { type ActiveRun, runGroup } from './run-group.ts'
import { WarmModels } from './warm-models.ts'

export type { ModelRunner } from './model-runner.ts'

const renewEveryMs = 1_000
const checkEveryMs = 100
const claimWaitMs = 30_000
/** How soon claims that failed are repeated: so soon at first, twice as late each time up to the second. */
const askAgainMs = [100, 2_000] as const

/** A model that shares runs, and whose last was shorter than this, gets its next while one is on: the hop takes longer. */
const shortRunMs = 50

/** How long runs may go on once the executor stops; then they go back to the queue. */
const finishWithinMs = 3_000

export interface ExecutorOptions {
  readonly leases: Client<typeof LeaseService>
  readonly runner: ModelRunner
  readonly models: Catalogue
  readonly pool: string
  /** How many runs at once, over all models. */
  readonly slots: number
  /** What the processes of all models may hold before idle ones are unloaded. */
  readonly memoryLimitBytes: number
  readonly clock: Clock
  readonly log: Log
}

export interface Executor {
  /** Claims and runs work until the signal ends. */
  run(signal: AbortSignal): Promise<void>
  /** Somebody says that there is work: whoever waits to ask again asks now. */
  ring(): void
}

export function createExecutor(options: ExecutorOptions): Executor {
  const executor = new LeasedRuns(options)
  return { run: signal => executor.run(signal), ring: () => executor.ring() }
}

class LeasedRuns {
  readonly #options: ExecutorOptions
  readonly #id = `exec_${crypto.randomUUID()}`
  readonly #warm: WarmModels
  readonly #results: Results
  readonly #held = new Set<HeldLease>()
  readonly #active = new Map<ActiveRun, { readonly group: string }>()
  /** How long the latest run of each model took that shares runs. */
  readonly #tookMs = new Map<string, number>()
  readonly #stopping = new AbortController()
  #asking = false
  #failedClaims = 0
  /** Ends the pause after a claim that failed. */
  #askNow: () => void = () => {}
  /** Whether the claim that waits was told to end. */
  #endsWait = false
  #renewing = false
  /** Results on their way. */
  readonly #delivering = new Set<Promise<void>>()

  constructor(options: ExecutorOptions) {
    this.#options = options
    this.#warm = new WarmModels(options)
    this.#results = new Results({ ...options, executorId: this.#id })
  }

  /** Until the signal ends; then runs may finish for 3 s, what is left goes back, and every process is ended. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    this.#ask()
    let renewedAt = clock.monotonic()
    await everyInterval(clock, checkEveryMs, signal, () => {
      if (clock.monotonic() - renewedAt >= renewEveryMs) {
        renewedAt = clock.monotonic()
        void this.#renew()
      }
      this.#check()
    })
    await this.#stop()
  }

  /** Asks for as much work as there is room for. A claim that waits meanwhile knows of less room, and is ended first. */
  #ask(): void {
    const { pool, slots } = this.#options
    const runs = Math.min(64, slots - this.#active.size)
    if (runs <= 0 || this.#stopping.signal.aborted) return
    if (this.#asking) {
      if (this.#endsWait) return
      this.#endsWait = true
      this.#claim({ executorId: this.#id, pool, runs: 0 }).catch(() => {}) // That claim then ends by its own time.
      return
    }
    this.#asking = true
    this.#endsWait = false
    const askedAt = this.#options.clock.monotonic()
    const request = { executorId: this.#id, pool, runs, waitMs: claimWaitMs, busyGroups: this.#busy() }
    this.#claim(request).then(
      answer => {
        this.#asking = false
        this.#failedClaims = 0
        for (const run of answer.runs) this.#start(run, askedAt + answer.waitedMs)
        this.#ask()
      },
      error => this.#askLater(error),
    )
  }

  #claim(request: MessageInitShape<typeof ClaimRequestSchema>): Promise<ClaimResponse> {
    return this.#options.leases.claim(request, { signal: this.#stopping.signal })
  }

  #askLater(error: unknown): void {
    if (this.#stopping.signal.aborted) return
    this.#options.log.warn('claim.failed', { error })
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
    const running = new Map<string, number>()
    for (const { group } of this.#active.values()) running.set(group, (running.get(group) ?? 0) + 1)
    const room = (group: string) => ((this.#tookMs.get(group) ?? Number.POSITIVE_INFINITY) < shortRunMs ? 2 : 1)
    return [...running].filter(([group, runs]) => runs >= room(group)).map(([group]) => group)
  }

  #start({ group, leases }: Run, begunAt: number): void {
    const { models, clock, runner } = this.#options
    const held = leases.map(lease => holdLease(lease, begunAt))
    for (const one of held) this.#held.add(one)
    const model = models.get(group)
    const warm = model?.status === 'ready' ? this.#warm.get(model) : undefined
    const settle = (one: HeldLease, result: Result | undefined) => this.#settle(one, result)
    const run = runGroup({ clock, engine: runner.engine, settle }, model, warm, held)
    this.#active.set(run, { group })
    void run.done.then(() => {
      this.#active.delete(run)
      if (run.tookMs > 0 && sharesRuns(model)) this.#tookMs.set(group, run.tookMs)
      this.#ask()
    })
  }

  #settle(held: HeldLease, result: Result | undefined): void {
    if (!result) {
      this.#held.delete(held)
      return
    }
    // The lease is kept until its result has arrived: an answer that is late by a second is not lost.
    const delivery = this.#results.give(result).then(() => {
      this.#held.delete(held)
      this.#delivering.delete(delivery)
    })
    this.#delivering.add(delivery)
  }

  /** Renews every lease; what the answer says is to be stopped is stopped. */
  async #renew(): Promise<void> {
    if (this.#renewing) return
    this.#renewing = true
    await Promise.all(inPortions([...this.#held], renewPortion).map(held => this.#renewSome(held)))
    this.#renewing = false
    this.#check()
  }

  async #renewSome(held: readonly HeldLease[]): Promise<void> {
    const { leases, clock, log } = this.#options
    const askedAt = clock.monotonic()
    const request = { executorId: this.#id, leases: held.map(toRenewal) }
    for (const one of held) one.progress = undefined // It is told once; a renewal without it costs no write.
    try {
      const answer = await leases.renew(request, { timeoutMs: 5_000 })
      held.forEach((one, i) => {
        const renewed = answer.leases[i]
        if (renewed?.ttl) extendLease(one, durationMs(renewed.ttl), askedAt)
        if (renewed?.verdict === Renewed_Verdict.CANCEL) one.stop ??= 'cancelled'
        if (renewed?.verdict === Renewed_Verdict.LOST) one.stop ??= 'lost'
      })
    } catch (error) {
      log.warn('renew.failed', { leases: held.length, error })
    }
  }

  /** Stops runs that are cancelled, too long, or whose lease is about to end unrenewed. */
  #check(): void {
    const now = this.#options.clock.monotonic()
    for (const one of this.#held) if (now >= one.stopAt) one.stop ??= 'lost'
    for (const run of this.#active.keys()) run.check()
  }

  async #stop(): Promise<void> {
    const { clock } = this.#options
    this.#stopping.abort()
    const finished = Promise.all([...this.#active.keys()].map(run => run.done))
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = clock.timer(finishWithinMs, resolve)
    await Promise.race([finished, late])
    timer.cancel()
    this.#stopAll('shutting_down')
    await this.#warm.close()
    await Promise.all([...this.#active.keys()].map(run => run.done))
    await Promise.all(this.#delivering)
  }

  #stopAll(why: Stop): void {
    for (const one of this.#held) one.stop ??= why
    this.#check()
  }
}

const sharesRuns = (model: CatalogueEntry | undefined): boolean =>
  model?.status === 'ready' && model.manifest.maxBatch > 1

/** How many one call may renew by the contract: 64 runs may hold more. */
const renewPortion = { size: 1_000, sizeOf: () => 1 }

const toRenewal = ({ lease, progress }: HeldLease) => ({
  id: lease.id,
  tenant: lease.tenant,
  workId: lease.workId,
  ...(progress && toProgress(progress)),
})

/** Characters, before an ellipsis. The contract's bound is 512; a renewal over it is refused, with all in its call. */
const mostMessage = 500

/** Within the bounds of the contract, whatever the model's process said. */
const toProgress = ({ fraction, message }: Progress) => ({
  fraction: Math.min(1, Math.max(0, fraction || 0)),
  ...(message !== undefined && { message: excerpt(message, mostMessage) }),
})
