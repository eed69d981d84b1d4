/**
 * Loaded processes: started when first needed, kept by least-recent use within a memory limit. Where runs share none, a
 * process that has run something is of that tenant until it ends: what one brief left in it, no other tenant's can see.
 */

import { type Loadable, type Runner, RunnerGone, type RunResult } from '@millhand/child-process'
import type { Log } from '@millhand/telemetry'
import { countLoad, countUnload } from './executor-metrics.ts'
import { type Hold, type Warm, WarmProcess } from './warm-process.ts'

/** What one run has to itself. */
export interface OwnWarm extends Warm {
  /** The run is over. */
  release(): void
}

/** A run that needs a process to itself. */
interface Waiter<L extends Loadable> {
  readonly thing: L
  readonly tenant: string
  readonly unwanted: AbortSignal | undefined
  readonly use: (entry: WarmProcess<L>) => void
  readonly fail: (error: unknown) => void
}

export class WarmProcesses<L extends Loadable> {
  readonly #runner: Runner<L>
  readonly #memoryLimitBytes: number
  readonly #log: Log
  readonly #isListed: (id: string) => boolean
  /** By what they load: those that are loaded or in use, and no others. */
  readonly #entries = new Map<string, WarmProcess<L>[]>()
  readonly #waiting = new Set<Waiter<L>>()
  /** What processes held last, by what they load; what was measured last at the end. */
  readonly #sizes = new Map<string, number>()
  /** Ends of processes that were unloaded. */
  readonly #ending = new Set<Promise<void>>()
  readonly #abort = new AbortController()
  #uses = 0

  /**
   * `memoryLimitBytes` bounds what all processes hold together, as far as unloading idle ones can: room is made before a
   * process starts.
   */
  constructor(options: {
    runner: Runner<L>
    memoryLimitBytes: number
    log: Log
    /** Whether metrics may have a name of its own for what has this id; true where it is left out. */
    isListed?: (id: string) => boolean
  }) {
    this.#runner = options.runner
    this.#memoryLimitBytes = options.memoryLimitBytes
    this.#log = options.log
    this.#isListed = options.isListed ?? (() => true)
  }

  /** What is loaded now. */
  held(): { readonly processes: number; readonly memoryBytes: number } {
    const loaded = this.#all().flatMap(({ process }) => process ?? [])
    return { processes: loaded.length, memoryBytes: loaded.reduce((sum, process) => sum + process.memoryBytes(), 0) }
  }

  /** How many things it knows of. */
  get size(): number {
    return this.#entries.size
  }

  /**
   * For one run of this version, of this tenant; a process starts with the first. `beside`: a run that is not to wait for
   * others of the same, which has a process beside theirs. `files`: has there what it is loaded from.
   */
  get(thing: L, tenant: string, beside = false, files?: Hold): Warm {
    let taken: WarmProcess<L> | undefined
    const waitsBehindOthers = !this.#runner.ownProcesses
    return {
      get isRunning() {
        return waitsBehindOthers && taken?.isRunning === true
      },
      run: (begin, onEmit, unwanted) => {
        if (waitsBehindOthers) {
          taken = this.#shared(thing, beside)
          return taken.run(begin, onEmit, unwanted, files)
        }
        return this.#whenFree(thing, tenant, unwanted, async entry => {
          taken = entry
          try {
            return await entry.run(begin, onEmit, unwanted)
          } finally {
            this.#keepFresh(thing)
          }
        })
      },
      kill: async () => await taken?.kill(),
    }
  }

  /** For one run alone until it releases it. Its process leaves the processor to others. `files` as for `get`. */
  own(thing: L, files?: Hold): OwnWarm {
    const entry = this.#shared(thing, true)
    entry.users++
    entry.isBackground = true
    return {
      isRunning: false, // Nothing waits behind it.
      run: (begin, onEmit, unwanted) => entry.run(begin, onEmit, unwanted, files),
      kill: () => entry.kill(),
      release: () => {
        entry.users--
        this.#changed(entry)
      },
    }
  }

  /** Ends all processes. */
  async close(): Promise<void> {
    this.#abort.abort()
    await Promise.all(this.#all().map(entry => entry.kill()))
  }

  #shared(thing: L, beside: boolean): WarmProcess<L> {
    const entries = this.#entriesOf(thing)
    return (beside ? entries.find(({ users }) => users === 0) : entries[0]) ?? this.#add(thing)
  }

  /** Uses whichever process is free first: one that ends its run, or a fresh one, which is started for it. */
  #whenFree(
    thing: L,
    tenant: string,
    unwanted: AbortSignal | undefined,
    use: (entry: WarmProcess<L>) => Promise<RunResult>,
  ): Promise<RunResult> {
    const take = (entry: WarmProcess<L>) => {
      entry.tenant = tenant
      return use(entry)
    }
    const idle = this.#idleFor(thing, tenant)
    if (idle) return take(idle)
    return new Promise((resolve, reject) => {
      const waiter = { thing, tenant, unwanted, use: (entry: WarmProcess<L>) => resolve(take(entry)), fail: reject }
      this.#waiting.add(waiter)
      void this.#startFor(waiter)
    })
  }

  /** Starts processes until the waiter has one: what is started is given to who has waited longest. */
  async #startFor(waiter: Waiter<L>): Promise<void> {
    while (this.#waiting.has(waiter)) {
      const entry = this.#freshOf(waiter.thing)
      entry.users++
      const error = await entry.load(waiter.unwanted).then(
        process => (entry.process === process ? undefined : new RunnerGone('crashed', 'the process ended unused')),
        error => error,
      )
      entry.users--
      this.#changed(entry)
      if (error && this.#waiting.delete(waiter)) waiter.fail(error)
    }
  }

  /** Gives processes that are free to runs that wait, in their order. */
  #offer(thing: L): void {
    const key = keyOf(thing)
    for (const waiter of this.#waiting) {
      if (keyOf(waiter.thing) !== key) continue
      const idle = this.#idleFor(thing, waiter.tenant)
      if (!idle) continue
      this.#waiting.delete(waiter)
      waiter.use(idle)
    }
  }

  /** The tenant's own before a fresh one. */
  #idleFor(thing: L, tenant: string): WarmProcess<L> | undefined {
    const idle = this.#entriesOf(thing).filter(({ users, process }) => users === 0 && process !== undefined)
    return idle.find(entry => entry.tenant === tenant) ?? idle.find(entry => entry.tenant === undefined)
  }

  /** One whose process nobody has used, is on its way, or is to be started. */
  #freshOf(thing: L): WarmProcess<L> {
    const free = this.#entriesOf(thing).filter(({ users }) => users === 0)
    return free.find(({ tenant }) => tenant === undefined) ?? this.#add(thing)
  }

  /** Has one ready for the next tenant, where there is room for one more such as have run. */
  #keepFresh(thing: L): void {
    if (this.#abort.signal.aborted) return
    const held = this.#held()
    const size = this.#sizes.get(keyOf(thing)) ?? 0
    if (size === 0 || held + size > this.#memoryLimitBytes) return
    const entry = this.#freshOf(thing)
    if (entry.isLoaded) return
    entry.lastUsed = ++this.#uses
    entry.load().catch(() => {}) // It is logged; who needs one tries again.
  }

  #all(): WarmProcess<L>[] {
    return [...this.#entries.values()].flat()
  }

  #entriesOf(thing: L): readonly WarmProcess<L>[] {
    return this.#entries.get(keyOf(thing)) ?? []
  }

  /** What all hold, and those will that are being loaded. */
  #held(): number {
    return this.#all().reduce((sum, entry) => sum + this.#sizeOf(entry), 0)
  }

  #sizeOf({ thing, process, isLoaded }: WarmProcess<L>): number {
    if (!process) return isLoaded ? this.#expectedSize(thing) : 0
    const bytes = process.memoryBytes()
    if (bytes === 0) return 0 // It is gone.
    this.#sizes.delete(keyOf(thing))
    this.#sizes.set(keyOf(thing), bytes)
    const [oldest] = this.#sizes.keys()
    if (this.#sizes.size > MOST_SIZES && oldest !== undefined) this.#sizes.delete(oldest)
    return bytes
  }

  /** As its last process had, else as the runner says. */
  #expectedSize(thing: L): number {
    return this.#sizes.get(keyOf(thing)) ?? this.#runner.estimateBytes?.(thing) ?? 0
  }

  /** Unloads what is idle until what is loaded and being loaded fits, and resolves once that is gone. */
  async #makeRoom(): Promise<void> {
    this.#unloadIdle()
    while (this.#ending.size > 0) await Promise.all(this.#ending)
  }

  #nameOf({ id }: L): string {
    return this.#isListed(id) ? id : 'own'
  }

  #add(thing: L): WarmProcess<L> {
    const entry: WarmProcess<L> = new WarmProcess(
      {
        runner: this.#runner,
        log: this.#log,
        closing: this.#abort.signal,
        nextUse: () => ++this.#uses,
        makeRoom: () => this.#makeRoom(),
        onChange: () => this.#changed(entry),
        onLoad: outcome => countLoad(this.#nameOf(thing), outcome),
      },
      thing,
    )
    this.#entries.set(keyOf(thing), [...this.#entriesOf(thing), entry])
    return entry
  }

  /** A process has come or gone, or is free. */
  #changed(entry: WarmProcess<L>): void {
    this.#offer(entry.thing)
    this.#unloadIdle()
    if (entry.users > 0 || entry.isLoaded) return
    const left = this.#entriesOf(entry.thing).filter(other => other !== entry)
    if (left.length > 0) this.#entries.set(keyOf(entry.thing), left)
    else this.#entries.delete(keyOf(entry.thing))
  }

  /** Unloads what is idle until the rest fits: what nobody has used first, then the least recently used. */
  #unloadIdle(): void {
    const loaded = this.#all().filter(entry => entry.process)
    let held = this.#held()
    const isUsed = ({ tenant }: WarmProcess<L>) => Number(tenant !== undefined)
    const idle = loaded
      .filter(({ users }) => users === 0)
      .sort((a, b) => isUsed(a) - isUsed(b) || a.lastUsed - b.lastUsed)
    for (const entry of idle) {
      if (held <= this.#memoryLimitBytes) return
      held -= this.#sizeOf(entry)
      this.#unload(entry)
    }
  }

  #unload(entry: WarmProcess<L>): void {
    const { loads } = this.#runner
    this.#log.info(`${loads}.unloaded`, { [loads]: entry.thing.id })
    countUnload(this.#nameOf(entry.thing))
    const ended = entry
      .kill()
      .catch(error => this.#log.error(`${loads}.unload_failed`, { [loads]: entry.thing.id, error }))
      .finally(() => this.#ending.delete(ended))
    this.#ending.add(ended)
  }
}

const MOST_SIZES = 10_000

const keyOf = ({ id, version }: Loadable): string => `${id}@${version}`
