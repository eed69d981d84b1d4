/** Loaded models, one process each: started when first needed, kept by least-recent use within a memory limit. */
import type { ModelPackage } from '@millhand/model'
import type { Log } from '@millhand/telemetry'
import {
  type LoadedModel,
  ModelLoadFailed,
  type ModelRunner,
  type OnEmit,
  type RunItem,
  RunnerGone,
  type RunResult,
} from './model-runner.ts'

/** A model with the line of runs that wait for its one process. */
export interface WarmModel {
  /** Asks `begin` for the items once the runs before are over, and runs them; nothing runs when there are none left. */
  run(begin: () => readonly RunItem[], onEmit: OnEmit): Promise<RunResult>
  /** Whether its process is in a run. */
  readonly isRunning: boolean
  /** Ends the process, and with it the run that it is in; runs that wait get a new process. */
  kill(): Promise<void>
}

interface Entry extends WarmModel {
  readonly model: ModelPackage
  isRunning: boolean
  loaded: Promise<LoadedModel> | undefined
  process: LoadedModel | undefined
  lastUsed: number
  /** Runs begun or waiting: a model in use is not unloaded. */
  users: number
  tail: Promise<unknown>
}

export class WarmModels {
  readonly #runner: ModelRunner
  readonly #memoryLimitBytes: number
  readonly #log: Log
  readonly #entries = new Map<string, Entry>()
  readonly #abort = new AbortController()
  #uses = 0

  /** `memoryLimitBytes` bounds what all processes hold together, as far as unloading idle ones can. */
  constructor(options: { runner: ModelRunner; memoryLimitBytes: number; log: Log }) {
    this.#runner = options.runner
    this.#memoryLimitBytes = options.memoryLimitBytes
    this.#log = options.log
  }

  /** The model of this version; its process starts with the first run. */
  get(model: ModelPackage): WarmModel {
    const key = `${model.id}@${model.version}`
    const known = this.#entries.get(key)
    if (known) return known
    const entry = this.#entry(model)
    this.#entries.set(key, entry)
    return entry
  }

  /** Ends all processes. */
  async close(): Promise<void> {
    this.#abort.abort()
    await Promise.all([...this.#entries.values()].map(entry => entry.kill()))
  }

  #entry(model: ModelPackage): Entry {
    const entry: Entry = {
      model,
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
            else if (!(error instanceof ModelLoadFailed))
              this.#log.error('model.run_failed', { model: model.id, error })
          })
          .then(() => {
            entry.isRunning = false
            entry.users--
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
    return entry
  }

  #load(entry: Entry): Promise<LoadedModel> {
    if (entry.loaded) return entry.loaded
    const { id } = entry.model
    this.#log.debug('model.loading', { model: id })
    const loading = this.#runner.load(entry.model, this.#abort.signal)
    entry.loaded = loading
    const ended = () => {
      if (entry.loaded === loading) forget(entry)
    }
    loading.then(
      process => {
        if (entry.loaded === loading) entry.process = process
        this.#log.info('model.loaded', { model: id })
        process.gone.then(why => {
          ended()
          if (why.reason !== 'killed') this.#log.warn('model.gone', { model: id, reason: why.reason, error: why })
        }, ended)
      },
      error => {
        ended()
        const isNews = error instanceof RunnerGone && error.reason !== 'killed'
        if (isNews) this.#log.warn('model.not_loaded', { model: id, reason: error.reason, error })
      },
    )
    return loading
  }

  /** Unloads idle models, least recently used first, until the rest fits. */
  #unloadIdle(): void {
    const loaded = [...this.#entries.values()].filter(entry => entry.process)
    let held = loaded.reduce((sum, entry) => sum + (entry.process?.memoryBytes() ?? 0), 0)
    const idle = loaded.filter(entry => entry.users === 0).sort((a, b) => a.lastUsed - b.lastUsed)
    for (const entry of idle) {
      if (held <= this.#memoryLimitBytes) return
      held -= entry.process?.memoryBytes() ?? 0
      this.#log.info('model.unloaded', { model: entry.model.id })
      entry.kill().catch(error => this.#log.error('model.unload_failed', { model: entry.model.id, error }))
    }
  }
}

/** The next run starts a new process. */
function forget(entry: Entry): void {
  entry.loaded = undefined
  entry.process = undefined
}
