/**
 * Loaded processes: started when first needed, kept by least-recent use within a memory limit. Where runs share none, a
 * process that has run something is of that tenant until it ends: what one brief left in it, no other tenant's can see.
 */

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

/** What a run is run by. */
export interface Warm {
  /** Asks `begin` for the items once the runs before are over, and runs them; nothing runs when there are none left. */
  run(begin: () => readonly RunItem[], onEmit: OnEmit): Promise<RunResult>
  /** Whether its process is in a run. */
  readonly isRunning: boolean
  /** Ends the process, and with it the run that it is in; runs that wait get a new process. */
  kill(): Promise<void>
}

/** What one run has to itself. */
export interface OwnWarm extends Warm {
  /** The run is over. */
  release(): void
}

/** A process with the line of runs that wait for it. */
interface Entry<L> extends Warm {
  readonly thing: L
  /** Whose runs its process has seen; none where that is fresh. */
  tenant: string | undefined
  isRunning: boolean
  isBackground: boolean
  loaded: Promise<Loaded> | undefined
  process: Loaded | undefined
  lastUsed: number
  /** Runs begun or waiting: what is in use is not unloaded. */
  users: number
  tail: Promise<unknown>
}

/** A run that needs a process to itself. */
interface Waiter<L> {
  readonly thing: L
  readonly tenant: string
  readonly use: (entry: Entry<L>) => void
  readonly fail: (error: unknown) => void
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

  /**
   * For one run of this version, of this tenant; a process starts with the first. `beside`: a run that is not to wait for
   * others of the same, which has a process beside theirs.
   */
  get(thing: L, tenant: string, beside = false): Warm {
    if (!this.#runner.ownProcesses) {
      const entries = this.#entriesOf(thing)
      return (beside ? entries.find(({ users }) => users === 0) : entries[0]) ?? this.#add(thing)
    }
    let taken: Warm | undefined
    return {
      isRunning: false, // Nothing waits behind it.
      run: (begin, onEmit) =>
        this.#whenFree(thing, tenant, async entry => {
          taken = entry
          try {
            return await entry.run(begin, onEmit)
          } finally {
            this.#keepFresh(thing)
          }
        }),
      kill: async () => await taken?.kill(),
    }
  }

  /** For one run alone until it releases it. Its process leaves the processor to others. */
  own(thing: L): OwnWarm {
    const entry = this.#entriesOf(thing).find(({ users }) => users === 0) ?? this.#add(thing)
    entry.users++
    entry.isBackground = true
    const release = () => {
      entry.users--
      this.#unloadIdle()
    }
    return { run: entry.run, kill: entry.kill, isRunning: false, release }
  }

  /** Ends all processes. */
  async close(): Promise<void> {
    this.#abort.abort()
    await Promise.all(this.#all().map(entry => entry.kill()))
  }

  /** Uses whichever process is free first: one that ends its run, or a fresh one, which is started for it. */
  #whenFree(thing: L, tenant: string, use: (entry: Entry<L>) => Promise<RunResult>): Promise<RunResult> {
    const take = (entry: Entry<L>) => {
      entry.tenant = tenant
      return use(entry)
    }
    const idle = this.#idleFor(thing, tenant)
    if (idle) return take(idle)
    return new Promise((resolve, reject) => {
      const waiter: Waiter<L> = { thing, tenant, use: entry => resolve(take(entry)), fail: reject }
      this.#waiting.add(waiter)
      void this.#startFor(waiter)
    })
  }

  /** Starts processes until the waiter has one: what is started is given to who has waited longest. */
  async #startFor(waiter: Waiter<L>): Promise<void> {
    while (this.#waiting.has(waiter)) {
      const entry = this.#freshOf(waiter.thing)
      entry.users++
      const error = await this.#load(entry).then(
        process => (entry.process === process ? undefined : new RunnerGone('crashed', 'the process ended unused')),
        error => error,
      )
      entry.users--
      this.#offer(waiter.thing)
      if (error && this.#waiting.delete(waiter)) waiter.fail(error)
    }
  }

  /** Gives processes that are free to runs that wait, in their order. */
  #offer(thing: L): void {
    const entries = this.#entriesOf(thing)
    for (const waiter of this.#waiting) {
      if (this.#entriesOf(waiter.thing) !== entries) continue
      const idle = this.#idleFor(thing, waiter.tenant)
      if (!idle) continue
      this.#waiting.delete(waiter)
      waiter.use(idle)
    }
  }

  /** The tenant's own before a fresh one. */
  #idleFor(thing: L, tenant: string): Entry<L> | undefined {
    const idle = this.#entriesOf(thing).filter(isIdle)
    return idle.find(entry => entry.tenant === tenant) ?? idle.find(entry => entry.tenant === undefined)
  }

  /** One whose process nobody has used, is on its way, or is to be started. */
  #freshOf(thing: L): Entry<L> {
    const free = this.#entriesOf(thing).filter(({ users }) => users === 0)
    const started = free.find(({ loaded, tenant }) => loaded && tenant === undefined)
    const entry = started ?? free.find(({ loaded }) => !loaded) ?? this.#add(thing)
    entry.tenant = undefined
    return entry
  }

  /** Has one ready for the next tenant, where there is room for one more such as have run. */
  #keepFresh(thing: L): void {
    if (this.#abort.signal.aborted) return
    const largest = Math.max(0, ...this.#entriesOf(thing).map(({ process }) => process?.memoryBytes() ?? 0))
    if (largest === 0 || this.#held() + largest > this.#memoryLimitBytes) return
    const entry = this.#freshOf(thing)
    if (entry.loaded) return
    entry.lastUsed = ++this.#uses
    this.#load(entry).then(
      () => this.#offer(thing),
      () => {}, // It is logged; who needs one tries again.
    )
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

  #held(): number {
    return this.#all().reduce((sum, { process }) => sum + (process?.memoryBytes() ?? 0), 0)
  }

  #add(thing: L): Entry<L> {
    const { loads } = this.#runner
    const entry: Entry<L> = {
      thing,
      tenant: undefined,
      isRunning: false,
      isBackground: false,
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
            this.#offer(thing)
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
    this.#entriesOf(thing).push(entry)
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
        if (entry.isBackground) process.standBack?.()
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

  /** Unloads what is idle until the rest fits: what nobody has used first, then the least recently used. */
  #unloadIdle(): void {
    const { loads } = this.#runner
    const loaded = this.#all().filter(entry => entry.process)
    let held = this.#held()
    const isUsed = ({ tenant }: Entry<L>) => Number(tenant !== undefined)
    const idle = loaded
      .filter(({ users }) => users === 0)
      .sort((a, b) => isUsed(a) - isUsed(b) || a.lastUsed - b.lastUsed)
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
const forget = <L>(entry: Entry<L>): void => void Object.assign(entry, { loaded: undefined, process: undefined })
