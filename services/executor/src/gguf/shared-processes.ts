/** The processes of models that generate text: one for each model, which all of its runs share. */
import { stat } from 'node:fs/promises'
import { LoadFailed, RunnerGone } from '@millhand/child-process'
import type { GgufProcess } from '@millhand/gguf'
import type { ModelPackage } from '@millhand/model'
import type { Log } from '@millhand/telemetry'
import { SharedTime } from './shared-time.ts'

export interface SharedProcess {
  readonly process: GgufProcess
  readonly time: SharedTime
  /** What uses it: it is not unloaded meanwhile. */
  readonly users: Set<object>
  /** Counts uses: later ones are larger. */
  lastUsed: number
}

interface Entry {
  readonly promise: Promise<SharedProcess>
  readonly abort: AbortController
  /** Loads that wait for it. */
  wanted: number
  shared: SharedProcess | undefined
  /** What it holds, or is about to. */
  bytes: () => number
}

interface SharedProcessesOptions {
  /** Starts a process for a model. Rejects with `LoadFailed` or `RunnerGone`. */
  readonly start: (model: ModelPackage, signal: AbortSignal) => Promise<GgufProcess>
  /** What all processes may hold, as far as unloading idle ones can bound it. */
  readonly memoryLimitBytes: number
  readonly now: () => number
  readonly log: Log
}

/** About what a process holds beside the file, while it is not known. */
const BESIDE_FILE_BYTES = 512 * 2 ** 20

export class SharedProcesses {
  readonly #options: SharedProcessesOptions
  readonly #entries = new Map<string, Entry>()
  #uses = 0
  #isClosed = false

  constructor(options: SharedProcessesOptions) {
    this.#options = options
  }

  /** The model's process, used by `user` until that is taken out of `users`. The last one whose signal fires ends the loading. */
  async use(model: ModelPackage, user: object, signal: AbortSignal): Promise<SharedProcess> {
    const key = `${model.id}@${model.version}`
    // One that was not wanted any more is not for the next: that loads another, when it is gone.
    while (this.#isEnding(key)) await this.#entries.get(key)?.promise.catch(() => {})
    if (signal.aborted || this.#isClosed) throw stopped()
    const entry = this.#entries.get(key) ?? this.#start(key, model)
    entry.wanted++
    const { promise: unwanted, reject } = Promise.withResolvers<never>()
    const giveUp = () => reject(stopped())
    signal.addEventListener('abort', giveUp, { once: true })
    try {
      const shared = await Promise.race([entry.promise, unwanted])
      shared.users.add(user)
      shared.lastUsed = ++this.#uses
      return shared
    } finally {
      signal.removeEventListener('abort', giveUp)
      if (--entry.wanted === 0 && entry.shared === undefined) entry.abort.abort()
    }
  }

  /** Ends all processes, and starts no more. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(
      [...this.#entries.values()].map(async entry => {
        entry.abort.abort()
        await entry.promise.then(
          ({ process }) => process.kill(),
          () => {},
        )
      }),
    )
  }

  #isEnding(key: string): boolean {
    const entry = this.#entries.get(key)
    return entry?.shared === undefined && entry?.abort.signal.aborted === true
  }

  #start(key: string, model: ModelPackage): Entry {
    const abort = new AbortController()
    const entry: Entry = {
      abort,
      promise: this.#load(key, model, abort.signal),
      wanted: 0,
      shared: undefined,
      bytes: () => 0,
    }
    this.#entries.set(key, entry)
    const forget = () => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key)
    }
    entry.promise.then(shared => {
      entry.shared = shared
      entry.bytes = () => shared.process.memoryBytes()
      void shared.process.gone.then(forget)
    }, forget)
    return entry
  }

  async #load(key: string, model: ModelPackage, signal: AbortSignal): Promise<SharedProcess> {
    const { start, now } = this.#options
    await this.#makeRoom(key, await expectedBytes(model))
    const process = await start(model, signal)
    return { process, time: new SharedTime(now), users: new Set(), lastUsed: ++this.#uses }
  }

  /** Unloads idle processes, the least recently used first, until there is room for one of so many bytes. */
  async #makeRoom(key: string, bytes: number): Promise<void> {
    const { memoryLimitBytes, log } = this.#options
    const own = this.#entries.get(key)
    if (own) own.bytes = () => bytes
    const held = () => [...this.#entries.values()].reduce((sum, entry) => sum + entry.bytes(), 0)
    const idle = [...this.#entries]
      .flatMap(([id, entry]) => (entry.shared === undefined ? [] : [{ id, entry, shared: entry.shared }]))
      .sort((a, b) => a.shared.lastUsed - b.shared.lastUsed)
    for (const { id, entry, shared } of idle) {
      if (held() <= memoryLimitBytes) return
      if (shared.users.size > 0 || entry.wanted > 0) continue
      log.info('model.unloaded', { model: id })
      this.#entries.delete(id)
      await shared.process.kill()
    }
  }
}

const stopped = () => new RunnerGone('killed', 'the loading of the model was stopped')

/** As far as the file tells. */
async function expectedBytes({ files }: ModelPackage): Promise<number> {
  try {
    return (await stat(files.model ?? '')).size + BESIDE_FILE_BYTES
  } catch {
    throw new LoadFailed('model_broken', 'the file of the model is not there any more')
  }
}
