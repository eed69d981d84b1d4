/**
 * What a cluster has of one resource, kept up to date by a watch: a list, then its changes from the list's `resourceVersion` on.
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
 */
import { backoff, type Clock } from '@millhand/process'
import { DriverFault } from '../driver.ts'
import { type Cluster, ClusterError } from './cluster.ts'
import { streamLines } from './stream-lines.ts'

export interface Resource {
  readonly metadata?: {
    readonly name?: string
    readonly namespace?: string
    readonly uid?: string
    readonly resourceVersion?: string
  }
}

export interface ListWatch<T> extends AsyncDisposable {
  /** By `<namespace>/<name>`, or by name where there are no namespaces: as of now, but for what the watch is about to tell. */
  items(signal: AbortSignal): Promise<ReadonlyMap<string, T>>
  /** The first answer of `look` that is not undefined: it looks at once, and after each change. */
  until<R>(look: (items: ReadonlyMap<string, T>) => R | undefined, signal: AbortSignal): Promise<R>
  /** Calls `changed` after each change, and when the cluster is back. */
  subscribe(changed: () => void): Disposable
}

export interface ListWatchOptions<T> {
  readonly cluster: Cluster
  /** Such as `/api/v1/pods`. */
  readonly path: string
  /** What is kept of an object. */
  readonly keep: (object: T) => T
  readonly clock: Clock
}

/**
 * The server ends each watch after so long and the next begins where it ended, which costs one request. So a connection over which
 * nothing comes any more is found soon, and what is known is never older than this and the silence together.
 */
const WATCH_SECONDS = 6
const SILENCE_MS = 3_000
/** How long a reader waits for a list: a cluster that is away for longer is lost. */
const SYNC_MS = 5_000
const PAGE = 500
const LIST_TIMEOUT_MS = 30_000

export function createListWatch<T extends Resource>(options: ListWatchOptions<T>): ListWatch<T> {
  return new CachedResource(options)
}

class CachedResource<T extends Resource> implements ListWatch<T> {
  readonly #options: ListWatchOptions<T>
  readonly #stop = new AbortController()
  readonly #subscribers = new Set<() => void>()
  #items = new Map<string, T>()
  /** Undefined where the next watch needs a list first. */
  #version: string | undefined
  #isSynced = false
  #synced = Promise.withResolvers<void>()
  #running: Promise<void> | undefined

  constructor(options: ListWatchOptions<T>) {
    this.#options = options
  }

  async items(signal: AbortSignal): Promise<ReadonlyMap<string, T>> {
    await this.#ready(signal)
    return this.#items
  }

  async until<R>(look: (items: ReadonlyMap<string, T>) => R | undefined, signal: AbortSignal): Promise<R> {
    await this.#ready(signal)
    const found = Promise.withResolvers<R>()
    const tryLook = () => {
      if (!this.#isSynced) return
      try {
        const seen = look(this.#items)
        if (seen !== undefined) found.resolve(seen)
      } catch (error) {
        found.reject(error)
      }
    }
    const onAbort = () => found.reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    this.#subscribers.add(tryLook)
    try {
      signal.throwIfAborted()
      tryLook()
      return await found.promise
    } finally {
      this.#subscribers.delete(tryLook)
      signal.removeEventListener('abort', onAbort)
    }
  }

  subscribe(changed: () => void): Disposable {
    this.#running ??= this.#run()
    // Each subscriber is a function of its own, so that one disposes of itself alone.
    const own = () => changed()
    this.#subscribers.add(own)
    return { [Symbol.dispose]: () => void this.#subscribers.delete(own) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  async #ready(signal: AbortSignal): Promise<void> {
    this.#running ??= this.#run()
    if (this.#isSynced) return
    const late = Promise.withResolvers<never>()
    const unavailable = new DriverFault('unavailable', 'The Kubernetes cluster does not answer.')
    const timer = this.#options.clock.timer(SYNC_MS, () => late.reject(unavailable))
    const onAbort = () => late.reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      signal.throwIfAborted()
      await Promise.race([this.#synced.promise, late.promise])
    } finally {
      timer.cancel()
      signal.removeEventListener('abort', onAbort)
    }
  }

  /** Lists and watches until the end. */
  async #run(): Promise<void> {
    const { signal } = this.#stop
    const waitMs = backoff({ baseMs: 100, maxMs: 2_000, random: Math.random })
    for (let attempt = 1; !signal.aborted; ) {
      try {
        this.#version ??= await this.#list(signal)
        await this.#watch(this.#version, signal)
        attempt = 1
      } catch (error) {
        if (signal.aborted) return
        // After a fault everything is listed again, also where the version is too old (410): nothing that was missed matters then.
        this.#version = undefined
        if (error instanceof ClusterError && error.status === 410) continue
        this.#lose()
        await this.#options.clock.sleep(waitMs(attempt++), signal).catch(() => {})
      }
    }
  }

  /** Replaces all items. Returns the version from which a watch goes on. */
  async #list(signal: AbortSignal): Promise<string> {
    const { cluster, path, keep } = this.#options
    const found = new Map<string, T>()
    let next: string | undefined
    for (;;) {
      const query = { limit: PAGE, continue: next }
      const listed = await cluster.call<ListOf<T>>('GET', path, { signal, query, timeoutMs: LIST_TIMEOUT_MS })
      for (const item of listed.items) found.set(keyOf(item), keep(item))
      next = listed.metadata.continue
      if (next) continue
      this.#items = found
      this.#changed()
      return listed.metadata.resourceVersion
    }
  }

  async #watch(resourceVersion: string, signal: AbortSignal): Promise<void> {
    const { cluster, path } = this.#options
    const ended = AbortSignal.any([signal, AbortSignal.timeout(WATCH_SECONDS * 1000 + SILENCE_MS)])
    const query = { watch: true, resourceVersion, allowWatchBookmarks: true, timeoutSeconds: WATCH_SECONDS }
    const stream = await cluster.stream(path, { signal: ended, query, timeoutMs: SILENCE_MS })
    this.#find()
    for await (const line of streamLines(stream)) this.#apply(JSON.parse(line))
  }

  #apply({ type, object }: WatchEvent<T>): void {
    if (type === 'ERROR') {
      const { code = 500, message = '' } = object as { readonly code?: number; readonly message?: string }
      throw new ClusterError(code, message)
    }
    this.#version = object.metadata?.resourceVersion
    if (type === 'BOOKMARK') return
    if (type === 'DELETED') this.#items.delete(keyOf(object))
    else this.#items.set(keyOf(object), this.#options.keep(object))
    this.#changed()
  }

  #find(): void {
    if (this.#isSynced) return
    this.#isSynced = true
    this.#synced.resolve()
    this.#changed()
  }

  #lose(): void {
    if (!this.#isSynced) return
    this.#isSynced = false
    this.#synced = Promise.withResolvers()
    this.#changed()
  }

  #changed(): void {
    for (const subscriber of this.#subscribers) subscriber()
  }
}

export const keyOf = ({ metadata }: Resource): string =>
  metadata?.namespace === undefined ? (metadata?.name ?? '') : `${metadata.namespace}/${metadata.name}`

interface ListOf<T> {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string }
  readonly items: readonly T[]
}

interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'
  readonly object: T
}
