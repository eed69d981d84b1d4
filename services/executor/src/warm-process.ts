/** One process, started when a run needs it, with the line of runs that wait for it. */
import {
  type Loadable,
  type Loaded,
  LoadFailed,
  type OnEmit,
  type RunItem,
  type Runner,
  RunnerGone,
  type RunResult,
} from '@millhand/child-process'
import type { Log } from '@millhand/telemetry'

/** Has something there until the function that this resolves with is called. Rejects with the signal's reason, too. */
export type Hold = (signal: AbortSignal) => Promise<() => void>

/** What a run is run by. */
export interface Warm {
  /**
   * Asks `begin` for the items once the runs before are over, and runs them; nothing runs when there are none left.
   * `unwanted`: what has not begun by then rejects as killed, and the loading ends where no other run waits for it.
   */
  run(begin: () => readonly RunItem[], onEmit: OnEmit, unwanted?: AbortSignal): Promise<RunResult>
  /** Whether its process is in a run. */
  readonly isRunning: boolean
  /** Ends the process, or its loading, and with it the run that it is in; runs that wait get a new process. */
  kill(): Promise<void>
}

export interface WarmProcessDeps<L extends Loadable> {
  readonly runner: Runner<L>
  readonly log: Log
  /** Ends what is being loaded. */
  readonly closing: AbortSignal
  /** Counts uses: later ones are larger. */
  readonly nextUse: () => number
  /** Called before a process starts, which counts as loaded by then. Resolves once there is room for it, or no more to be had. */
  readonly makeRoom: () => Promise<void>
  /** Called when a process has come or gone, and when a run is over. */
  readonly onChange: () => void
  /** Called when a process has come, or will not. */
  readonly onLoad: (outcome: 'loaded' | 'failed') => void
}

interface Loading {
  readonly promise: Promise<Loaded>
  readonly abort: AbortController
}

export class WarmProcess<L extends Loadable> implements Warm {
  readonly thing: L
  /** Whose runs its process has seen; none where that is fresh. */
  tenant: string | undefined
  /** Set where it leaves the processor to others. */
  isBackground = false
  isRunning = false
  lastUsed = 0
  /** Runs begun or waiting: what is in use is not unloaded. */
  users = 0
  process: Loaded | undefined
  readonly #deps: WarmProcessDeps<L>
  #loading: Loading | undefined
  /** Runs that wait for the process to come and have not been given up. */
  #wanting = 0
  #tail: Promise<unknown> = Promise.resolve()

  constructor(deps: WarmProcessDeps<L>, thing: L) {
    this.#deps = deps
    this.thing = thing
  }

  get isLoaded(): boolean {
    return this.#loading !== undefined
  }

  /** `files`: has there what a process is loaded from, where this run loads one. */
  run(begin: () => readonly RunItem[], onEmit: OnEmit, unwanted?: AbortSignal, files?: Hold): Promise<RunResult> {
    this.users++
    this.lastUsed = this.#deps.nextUse()
    const wait = this.#want(unwanted)
    const result = this.#tail.then(() => this.#run(begin, onEmit, wait, files)).finally(wait.end)
    this.#tail = result
      .catch(error => this.#logFault(error))
      .then(() => {
        this.isRunning = false
        this.users--
        this.#deps.onChange()
      })
    return Promise.race([result, wait.givenUp])
  }

  async #run(begin: () => readonly RunItem[], onEmit: OnEmit, wait: Wait, files?: Hold): Promise<RunResult> {
    wait.throwIfGivenUp()
    const process = await this.#load(files).promise
    wait.throwIfGivenUp()
    wait.end()
    const items = begin()
    if (items.length === 0) return { items: [], computeMs: 0 }
    this.isRunning = true
    try {
      return await process.run(items, onEmit)
    } catch (error) {
      if (error instanceof RunnerGone && this.process === process) this.#forget()
      throw error
    }
  }

  /** Has the process there. `unwanted` as for `run`. */
  async load(unwanted?: AbortSignal): Promise<Loaded> {
    const wait = this.#want(unwanted)
    try {
      wait.throwIfGivenUp()
      return await Promise.race([this.#load().promise, wait.givenUp])
    } finally {
      wait.end()
    }
  }

  async kill(): Promise<void> {
    const loading = this.#loading
    this.#forget()
    loading?.abort.abort()
    await (await loading?.promise.catch(() => undefined))?.kill()
    this.#deps.onChange()
  }

  #load(files?: Hold): Loading {
    if (this.#loading) return this.#loading
    const { runner, log, closing, onChange, onLoad } = this.#deps
    const { loads } = runner
    const { id } = this.thing
    log.debug(`${loads}.loading`, { [loads]: id })
    const abort = new AbortController()
    const loading = { abort, promise: this.#start(AbortSignal.any([closing, abort.signal]), files) }
    this.#loading = loading
    const ended = () => {
      if (this.#loading === loading) this.#forget()
      onChange()
    }
    loading.promise.then(
      process => {
        if (this.#loading === loading) this.process = process
        onLoad('loaded')
        if (this.isBackground) process.lowerPriority?.()
        log.info(`${loads}.loaded`, { [loads]: id })
        process.gone.then(why => {
          ended()
          if (why.reason !== 'killed') log.warn(`${loads}.gone`, { [loads]: id, reason: why.reason, error: why })
        }, ended)
        onChange()
      },
      error => {
        ended()
        onLoad('failed')
        const isNews = error instanceof RunnerGone && error.reason !== 'killed'
        if (isNews) log.warn(`${loads}.not_loaded`, { [loads]: id, reason: error.reason, error })
      },
    )
    return loading
  }

  async #start(signal: AbortSignal, files?: Hold): Promise<Loaded> {
    // Also without files this goes on only once the caller has noted the loading: a process counts once.
    const release = await files?.(signal)
    try {
      await this.#deps.makeRoom()
      if (signal.aborted) throw notWanted()
      return await this.#deps.runner.load(this.thing, signal)
    } finally {
      release?.()
    }
  }

  /** One more waits for the process, until it ends its wait or is not wanted: the last one that leaves ends the loading. */
  #want(unwanted: AbortSignal | undefined): Wait {
    const { promise: givenUp, reject } = Promise.withResolvers<never>()
    givenUp.catch(() => {}) // It may be that nobody waits for it.
    let isOver = false
    this.#wanting++
    const end = () => {
      if (isOver) return
      isOver = true
      unwanted?.removeEventListener('abort', giveUp)
      if (--this.#wanting === 0 && !this.process) this.#abandon()
    }
    const giveUp = () => {
      end()
      reject(notWanted())
    }
    unwanted?.addEventListener('abort', giveUp, { once: true })
    if (unwanted?.aborted) giveUp()
    return {
      end,
      givenUp,
      throwIfGivenUp() {
        if (isOver) throw notWanted()
      },
    }
  }

  #abandon(): void {
    const loading = this.#loading
    if (!loading) return
    this.#forget()
    loading.abort.abort()
    // It may have come by then.
    loading.promise.then(
      process => process.kill(),
      () => {},
    )
  }

  #logFault(error: unknown): void {
    const { runner, log } = this.#deps
    if (!(error instanceof RunnerGone || error instanceof LoadFailed))
      log.error(`${runner.loads}.run_failed`, { [runner.loads]: this.thing.id, error })
  }

  /** The next run starts a new process. */
  #forget(): void {
    this.#loading = undefined
    this.process = undefined
  }
}

/** A run's wait for a process. */
interface Wait {
  readonly end: () => void
  /** Rejects when it is not wanted any more before its end. */
  readonly givenUp: Promise<never>
  throwIfGivenUp(): void
}

const notWanted = () => new RunnerGone('killed', 'the run was stopped before it began')
