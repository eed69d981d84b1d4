/** Loaded processes: started when first needed, kept by least-recent use within a memory limit. */

import type { Log } from '@millhand/telemetry'
import {
  type Loadable,
  type Loaded,
  LoadFailed,
  type OnEmit,
  type RunItem,
  type Runner,
  RunnerGone,
  type RunResult,
} from '@millhand/worker'

/** What a run is run by. */
export interface Warm {
  /** Asks `begin` for the items once the runs before are over, and runs them; nothing runs when there are none left. */
  run(begin: () => readonly RunItem[], onEmit: OnEmit): Promise<RunResult>
  /** Whether its process is in a run. */
  readonly isRunning: boolean
  /** Ends the process, and with it the run that it is in; runs that wait get a new process. */
  kill(): Promise<void>
}

/** A process with the line of runs that wait for it. */
interface Entry<L> extends Warm {
  readonly thing: L
  isRunning: boolean
  loaded: Promise<Loaded> | undefined
  process: Loaded | undefined
  lastUsed: number
  /** Runs begun or waiting: what is in use is not unloaded. */
  users: number
  tail: Promise<unknown>
}

/** A run that needs a process to itself. */
interface Waiter<L> {
  readonly entries: readonly Entry<L>[]
  readonly use: (entry: Entry<L>) => void
}

export class WarmProcesses<L extends Loadable> {
  readonly #runner: Runner<L>
  readonly #memoryLimitBytes: number
  readonly #log: Log
  readonly #entries = new Map<string, Entry<L>[]>()
  readonly #waiting = new Set<Waiter<L>>()
  readonly #abort = new AbortController()
  #uses = 0

  /** `memoryLimitBytes` bounds what all processes hold together, as far as unloading idle ones can. */
  constructor(options: { runner: Runner<L>; memoryLimitBytes: number; log: Log }) {
    this.#runner = options.runner
    this.#memoryLimitBytes = options.memoryLimitBytes
    this.#log = options.log
  }

  /** For one run of this version; a process starts with the first. */
  get(thing: L): Warm {
    const entries = this.#entriesOf(thing)
    if (!this.#runner.ownProcesses) return entries[0] ?? this.#add(thing, entries)
    let taken: Warm | undefined
    return {
      isRunning: false, // Nothing waits behind it.
      run: (begin, onEmit) =>
        this.#whenFree(thing, entries, entry => {
          taken = entry
          return entry.run(begin, onEmit)
        }),
      kill: async () => await taken?.kill(),
    }
  }

  /** Ends all processes. */
  async close(): Promise<void> {
    this.#abort.abort()
    await Promise.all(this.#all().map(entry => entry.kill()))
  }

  /** Uses whichever process is free first: one that ends its run, or a new one, which is started for it. */
  #whenFree(thing: L, entries: Entry<L>[], use: (entry: Entry<L>) => Promise<RunResult>): Promise<RunResult> {
    const idle = entries.find(isIdle)
    if (idle) return use(idle)
    return new Promise((resolve, reject) => {
      const waiter: Waiter<L> = { entries, use: entry => resolve(use(entry)) }
      this.#waiting.add(waiter)
      const entry = entries.find(({ users }) => users === 0) ?? this.#add(thing, entries)
      entry.users++
      void this.#load(entry)
        .catch(error => {
          if (this.#waiting.delete(waiter)) reject(error)
        })
        .then(() => {
          entry.users--
          this.#offer(entries)
        })
    })
  }

  /** Gives processes that are free to runs that wait, in their order. */
  #offer(entries: Entry<L>[]): void {
    for (const waiter of this.#waiting) {
      if (waiter.entries !== entries) continue
      const idle = entries.find(isIdle)
      if (!idle) return
      this.#waiting.delete(waiter)
      waiter.use(idle)
    }
  }

  #all(): Entry<L>[] {
    return [...this.#entries.values()].flat()
  }

  #entriesOf({ id, version }: L): Entry<L>[] {
    const key = `${id}@${version}`
    const known = this.#entries.get(key) ?? []
    this.#entries.set(key, known)
    return known
  }

  #add(thing: L, to: Entry<L>[]): Entry<L> {
    const { loads } = this.#runner
    const entry: Entry<L> = {
      thing,
      isRunning: false,
      loaded: undefined,
      process: undefined,
      lastUsed: 0,
      users: 0,
      tail: Promise.resolve(),
      run: (begin, onEmit) => {
        entry.users++
        entry.lastUsed = ++this.#uses
        const result = entry.tail.then(async () => {
          const process = await this.#load(entry)
          const items = begin()
          if (items.length === 0) return { items: [], computeMs: 0 }
          entry.isRunning = true
          return await process.run(items, onEmit)
        })
        entry.tail = result
          .catch(error => {
            if (error instanceof RunnerGone) forget(entry)
            else if (!(error instanceof LoadFailed))
              this.#log.error(`${loads}.run_failed`, { [loads]: thing.id, error })
          })
          .then(() => {
            entry.isRunning = false
            entry.users--
            this.#offer(to)
            this.#unloadIdle()
          })
        return result
      },
      kill: async () => {
        const { loaded } = entry
        forget(entry)
        await (await loaded?.catch(() => undefined))?.kill()
      },
    }
    to.push(entry)
    return entry
  }

  #load(entry: Entry<L>): Promise<Loaded> {
    if (entry.loaded) return entry.loaded
    const { loads } = this.#runner
    const { id } = entry.thing
    this.#log.debug(`${loads}.loading`, { [loads]: id })
    const loading = this.#runner.load(entry.thing, this.#abort.signal)
    entry.loaded = loading
    const ended = () => {
      if (entry.loaded === loading) forget(entry)
    }
    loading.then(
      process => {
        if (entry.loaded === loading) entry.process = process
        this.#log.info(`${loads}.loaded`, { [loads]: id })
        process.gone.then(why => {
          ended()
          if (why.reason !== 'killed') this.#log.warn(`${loads}.gone`, { [loads]: id, reason: why.reason, error: why })
        }, ended)
        this.#unloadIdle()
      },
      error => {
        ended()
        const isNews = error instanceof RunnerGone && error.reason !== 'killed'
        if (isNews) this.#log.warn(`${loads}.not_loaded`, { [loads]: id, reason: error.reason, error })
      },
    )
    return loading
  }

  /** Unloads what is idle, least recently used first, until the rest fits. */
  #unloadIdle(): void {
    const { loads } = this.#runner
    const loaded = this.#all().filter(entry => entry.process)
    let held = loaded.reduce((sum, entry) => sum + (entry.process?.memoryBytes() ?? 0), 0)
    const idle = loaded.filter(entry => entry.users === 0).sort((a, b) => a.lastUsed - b.lastUsed)
    for (const entry of idle) {
      if (held <= this.#memoryLimitBytes) return
      held -= entry.process?.memoryBytes() ?? 0
      this.#log.info(`${loads}.unloaded`, { [loads]: entry.thing.id })
      entry.kill().catch(error => this.#log.error(`${loads}.unload_failed`, { [loads]: entry.thing.id, error }))
    }
  }
}

const isIdle = <L>({ users, process }: Entry<L>): boolean => users === 0 && process !== undefined

/** The next run starts a new process. */
function forget<L>(entry: Entry<L>): void {
  entry.loaded = undefined
  entry.process = undefined
}
