/** The processes of language models: one for each file, for all who use it. docs/decisions/text-generation.md, "One process for each file" */
import { stat } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { LoadFailed, RunnerGone } from '@millhand/child-process'
import type { Log } from '@millhand/telemetry'
import {
  type Answer,
  type Asking,
  type GgufContext,
  type GgufProcess,
  type Question,
  startGguf,
} from './gguf-process.ts'

/** What somebody needs of a file. Uses of a file with equal contexts share the context. */
export interface GgufUse {
  /** For the log: no path. */
  readonly name: string
  readonly file: string
  readonly context: GgufContext
  /** Resident memory that the process may have for the context, in bytes. */
  readonly memoryBytes: number
}

export interface DeclaredUse {
  /**
   * The process of the file, held for `user` until that releases it: so long it is not unloaded. Rejects as `startGguf`
   * does. The last one whose signal fires ends the loading.
   */
  acquire(user: object, signal: AbortSignal): Promise<SharedGguf>
}

/** The process of a file, as one use of it has it. */
export interface SharedGguf {
  /** The same for all uses of the process. */
  readonly gone: Promise<RunnerGone>
  /** As `GgufProcess.ask`, in the context of the use. */
  ask(question: Question, asking?: Omit<Asking, 'context'>): Promise<Answer>
  /** Idempotent, as is `release`. */
  hold(user: object): void
  release(user: object): void
}

interface GgufProcessesOptions {
  /** Of each process. */
  readonly threads: number
  /** What all processes may have resident, in bytes, as far as unloading idle ones can bound it. */
  readonly memoryLimitBytes: number
  readonly log: Log
  /** Starts a process; another in tests. */
  readonly start?: typeof startGguf
}

interface Entry {
  readonly name: string
  readonly promise: Promise<Loaded>
  readonly abort: AbortController
  /** Loads that wait for it. */
  wanted: number
  loaded: Loaded | undefined
  /** What it holds, or is about to. */
  bytes: () => number
}

interface Loaded {
  readonly process: GgufProcess
  readonly contexts: readonly GgufContext[]
  /** It is not unloaded while there are any. */
  readonly users: Set<object>
  /** Counts uses: later ones are larger. */
  lastUsed: number
}

/** About what a context holds, while it is not known. */
const CONTEXT_BYTES = 512 * 2 ** 20

export class GgufProcesses {
  readonly #options: GgufProcessesOptions
  readonly #declared: GgufUse[] = []
  /** By the identity of their file. */
  readonly #entries = new Map<string, Entry>()
  #count = 0
  #isClosed = false

  constructor(options: GgufProcessesOptions) {
    this.#options = options
  }

  /** Before anything of its file is acquired: what a process has room for is fixed when it is loaded. */
  declare(use: GgufUse): DeclaredUse {
    this.#declared.push(use)
    return { acquire: (user, signal) => this.#acquire(use, user, signal) }
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

  async #acquire(use: GgufUse, user: object, signal: AbortSignal): Promise<SharedGguf> {
    if (signal.aborted) throw stopped()
    const key = await identityOf(use.file)
    // One that was not wanted any more is not for the next: that loads another, when it is gone.
    while (this.#isEnding(key)) await this.#entries.get(key)?.promise.catch(() => {})
    if (signal.aborted || this.#isClosed) throw stopped()
    const entry = this.#entries.get(key) ?? this.#start(key, use)
    entry.wanted++
    const { promise: unwanted, reject } = Promise.withResolvers<never>()
    const giveUp = () => reject(stopped())
    signal.addEventListener('abort', giveUp, { once: true })
    try {
      const shared = this.#shared(await Promise.race([entry.promise, unwanted]), use)
      shared.hold(user)
      return shared
    } finally {
      signal.removeEventListener('abort', giveUp)
      if (--entry.wanted === 0 && entry.loaded === undefined) entry.abort.abort()
    }
  }

  #shared(loaded: Loaded, use: GgufUse): SharedGguf {
    const { process, contexts, users } = loaded
    const context = contexts.findIndex(one => isDeepStrictEqual(one, use.context))
    if (context < 0) throw new Error(`the file of ${use.name} was loaded before this use was declared`)
    return {
      gone: process.gone,
      ask: (question, asking) => process.ask(question, { ...asking, context }),
      hold: user => {
        users.add(user)
        loaded.lastUsed = ++this.#count
      },
      release: user => void users.delete(user),
    }
  }

  #isEnding(key: string): boolean {
    const entry = this.#entries.get(key)
    return entry?.loaded === undefined && entry?.abort.signal.aborted === true
  }

  #start(key: string, use: GgufUse): Entry {
    const { log } = this.#options
    const { name } = use
    const abort = new AbortController()
    const promise = this.#load(key, use, abort.signal)
    const entry: Entry = { name, abort, promise, wanted: 0, loaded: undefined, bytes: () => 0 }
    this.#entries.set(key, entry)
    const forget = () => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key)
    }
    promise.then(
      loaded => {
        entry.loaded = loaded
        entry.bytes = () => loaded.process.memoryBytes()
        void loaded.process.gone.then(({ reason }) => {
          forget()
          if (reason !== 'killed') log.warn('language_model.ended', { model: name, reason })
        })
      },
      error => {
        forget()
        // Its message may have a path.
        const reason = error instanceof LoadFailed ? error.code : error instanceof RunnerGone ? error.reason : 'unknown'
        if (!abort.signal.aborted) log.warn('language_model.not_loaded', { model: name, reason })
      },
    )
    return entry
  }

  async #load(key: string, { file }: GgufUse, signal: AbortSignal): Promise<Loaded> {
    const { start = startGguf, threads, log } = this.#options
    const uses = await this.#usesOf(key)
    const contexts = uses.map(({ context }) => context)
    const { size } = await stat(file)
    await this.#makeRoom(key, size + contexts.length * CONTEXT_BYTES)
    const memoryLimitBytes = uses.reduce((sum, { memoryBytes }) => sum + memoryBytes, size)
    const process = await start({ file, threads, contexts, memoryLimitBytes, log }, signal)
    return { process, contexts, users: new Set(), lastUsed: ++this.#count }
  }

  /** One for each different context. */
  async #usesOf(key: string): Promise<GgufUse[]> {
    // A file that is not there is no reason not to load another.
    const identities = await Promise.all(this.#declared.map(({ file }) => identityOf(file).catch(() => undefined)))
    const uses = this.#declared.filter((_, at) => identities[at] === key)
    const firstOf = ({ context }: GgufUse) => uses.find(other => isDeepStrictEqual(other.context, context))
    return uses.filter(use => firstOf(use) === use)
  }

  /** Unloads idle processes, the least recently used first, until there is room for one of so many bytes. */
  async #makeRoom(key: string, bytes: number): Promise<void> {
    const { memoryLimitBytes, log } = this.#options
    const own = this.#entries.get(key)
    if (own) own.bytes = () => bytes
    const held = () => [...this.#entries.values()].reduce((sum, entry) => sum + entry.bytes(), 0)
    const idle = [...this.#entries]
      .flatMap(([id, entry]) => (entry.loaded === undefined ? [] : [{ id, entry, loaded: entry.loaded }]))
      .sort((a, b) => a.loaded.lastUsed - b.loaded.lastUsed)
    for (const { id, entry, loaded } of idle) {
      if (held() <= memoryLimitBytes) return
      // While another was killed it may have ended, and been loaded anew.
      if (this.#entries.get(id) !== entry || loaded.users.size > 0 || entry.wanted > 0) continue
      log.info('model.unloaded', { model: entry.name })
      this.#entries.delete(id)
      await loaded.process.kill()
    }
  }
}

const stopped = () => new RunnerGone('killed', 'the loading of the model was stopped')

/** The same for all paths of a file, also through links and mounts. */
async function identityOf(file: string): Promise<string> {
  try {
    const { dev, ino } = await stat(file, { bigint: true })
    return `${dev}:${ino}`
  } catch {
    throw new LoadFailed('model_broken', 'the file of the model is not there any more')
  }
}
