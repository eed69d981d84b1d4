/** The life of a process: what it owns, the loops that it runs, and how all of that stops. */
import type { Log } from '@millhand/telemetry'
import { type Clock, systemClock } from './clock.ts'
import { killUnlessEnded, watchProcess } from './signals.ts'

export interface RunnerOptions {
  readonly log: Log
  /** How long stopping may take before it is given up; 10,000 where it is not set. */
  readonly stopTimeoutMs?: number
  /**
   * How long the process serves on between a signal to stop and the first close; 0 where it is not set. A failure
   * ends it. It adds to `stopTimeoutMs`.
   */
  readonly drainMs?: number
  readonly clock?: Clock
}

export interface Closable {
  /** Resolves when nothing of it is left running. */
  close(): Promise<void> | void
}

export interface Runner {
  /** Fires when stopping begins: what starts new work looks at it. */
  readonly signal: AbortSignal
  /** Takes over a resource: it is closed after everything that was owned or run after it. `name` is for the log. */
  own<T extends Closable>(resource: T, name?: string): T
  /**
   * Runs a loop until its turn to stop, in the same order as resources; its signal fires then. One that rejects before
   * stops the process with exit code 1. One that resolves before has simply ended.
   */
  run(name: string, task: (signal: AbortSignal) => Promise<void>): void
  /** Calls `begin` when a drain begins: from then on load balancers must see that the process leaves. */
  onDrain(begin: () => void): void
  /** Stops everything in reverse order. Idempotent; resolves when all has stopped, or the time is over. */
  stop(reason: string): Promise<void>
  /** The exit code, once stopped: 0, or 1 after a failure. */
  waitForExit(): Promise<number>
  /**
   * The first SIGTERM or SIGINT stops the process, a second one exits at once; an error that nobody caught is logged
   * and stops it with exit code 1.
   */
  handleSignals(): void
}

export function createRunner(options: RunnerOptions): Runner {
  const { log, stopTimeoutMs = 10_000, drainMs = 0, clock = systemClock } = options
  const stopping = new AbortController()
  const draining = new AbortController()
  const exit = Promise.withResolvers<number>()
  const owned = new OwnedParts((name, error) => {
    exitCode = 1
    log.error('runner.close_failed', { name, error })
  })
  const drains: (() => void)[] = []
  let stopped: Promise<void> | undefined
  let exitCode = 0
  let unwatch = () => {}
  let ownsProcess = false

  const drain = async (reason: string) => {
    log.info('runner.draining', { reason, ms: drainMs })
    for (const begin of drains) begin()
    await clock.sleep(drainMs, draining.signal).catch(() => {})
  }

  const stopAll = async (reason: string, limitMs: number) => {
    log.info('runner.stopping', { reason })
    stopping.abort(new Error(`stopping: ${reason}`))
    const late = Promise.withResolvers<'late'>()
    const timer = clock.timer(limitMs, () => late.resolve('late'))
    const end = await Promise.race([owned.closeAll(), late.promise])
    timer.cancel()
    owned.isOver = true
    if (end === 'late') {
      exitCode = 1
      log.error('runner.stop_timeout', { limit_ms: limitMs, still_running: owned.open })
      if (ownsProcess) killUnlessEnded()
    } else {
      log.info('runner.stopped', { exit_code: exitCode })
    }
    unwatch()
    exit.resolve(exitCode)
  }

  const runner: Runner = {
    signal: stopping.signal,
    own(resource, name = `resource ${owned.size + 1}`) {
      owned.take(name, () => resource.close())
      return resource
    },
    run(name, task) {
      const ending = new AbortController()
      const running = (async () => await task(ending.signal))().catch((error: unknown) => {
        if (ending.signal.aborted) return
        fail(`${name} failed`, error)
      })
      owned.take(name, () => {
        ending.abort(stopping.signal.reason)
        return running
      })
    },
    onDrain(begin) {
      drains.push(begin)
    },
    stop(reason) {
      draining.abort() // A process that has failed does not serve on.
      stopped ??= stopAll(reason, stopTimeoutMs + drainMs)
      return stopped
    },
    waitForExit: () => exit.promise,
    handleSignals() {
      unwatch()
      ownsProcess = true
      unwatch = watchProcess({
        onSignal(signal) {
          const reason = `received ${signal}`
          if (drainMs === 0 || drains.length === 0) void runner.stop(reason)
          else stopped ??= drain(reason).then(() => stopAll(reason, stopTimeoutMs))
        },
        onUncaught: error => fail('an error was not caught', error),
      })
    },
  }

  const fail = (reason: string, error: unknown) => {
    exitCode = 1
    log.error('runner.failed', { reason, error })
    void runner.stop(reason)
  }
  return runner
}

/** What a process owns, closed in the reverse order in which it was taken. */
class OwnedParts {
  readonly #onFailure: (name: string, error: unknown) => void
  readonly #parts: { name: string; close: () => Promise<void> | void }[] = []
  readonly #open = new Set<string>()
  /** From then on what is taken is closed at once. */
  isOver = false

  constructor(onFailure: (name: string, error: unknown) => void) {
    this.#onFailure = onFailure
  }

  get size(): number {
    return this.#parts.length
  }

  /** The names of those that are not closed yet. */
  get open(): readonly string[] {
    return [...this.#open]
  }

  take(name: string, close: () => Promise<void> | void): void {
    this.#open.add(name)
    if (this.isOver) void this.#close(name, close)
    else this.#parts.push({ name, close })
  }

  /** Also closes what is taken meanwhile: a start may be under way. */
  async closeAll(): Promise<void> {
    for (let next = this.#parts.pop(); next !== undefined; next = this.#parts.pop())
      await this.#close(next.name, next.close)
    this.isOver = true
  }

  async #close(name: string, close: () => Promise<void> | void): Promise<void> {
    try {
      await close()
    } catch (error) {
      this.#onFailure(name, error)
    } finally {
      this.#open.delete(name)
    }
  }
}
