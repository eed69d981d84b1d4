/** What was found in files that custom tasks run, so that not every create looks into the same file. */
import type { OnnxInspection } from '@millhand/model'
import type { StoredFile } from '../files/file.ts'
import { BoundedCache } from './bounded-cache.ts'
import { ModelInvalid } from './inspector.ts'

/** As an `Inspector` does; calls `onBegin` once the file's turn has come. */
type Inspect = (file: StoredFile, signal: AbortSignal, onBegin: () => void) => Promise<OnnxInspection | undefined>

/** A file that is being looked into, or waits for its turn. */
interface Look {
  readonly found: Promise<OnnxInspection | undefined>
  readonly unwanted: AbortController
  callers: number
  hasBegun: boolean
}

/** Keeps the latest, by tenant and content. */
export class InspectionCache {
  readonly #inspect: Inspect
  readonly #known = new BoundedCache<OnnxInspection | ModelInvalid>()
  readonly #looks = new Map<string, Look>()

  constructor(inspect: Inspect) {
    this.#inspect = inspect
  }

  /**
   * What is in the file; undefined where it is gone. Of several calls at once one looks. Rejects as an `Inspector` does. A
   * look that has begun goes on when its callers leave, within the limits of the inspector, which has one of each tenant:
   * the next call finds what it has found.
   */
  async of(file: StoredFile, signal: AbortSignal): Promise<OnnxInspection | undefined> {
    const key = `${file.tenant} ${file.sha256}`
    const known = this.#known.get(key)
    if (known instanceof ModelInvalid) throw known
    if (known) return known
    signal.throwIfAborted()
    const look = this.#looks.get(key) ?? this.#begin(key, file)
    const left = Promise.withResolvers<never>()
    const leave = () => left.reject(signal.reason)
    signal.addEventListener('abort', leave, { once: true })
    look.callers++
    try {
      return await Promise.race([look.found, left.promise])
    } finally {
      signal.removeEventListener('abort', leave)
      if (--look.callers === 0 && !look.hasBegun) this.#drop(key, look)
    }
  }

  #begin(key: string, file: StoredFile): Look {
    const unwanted = new AbortController()
    const found = this.#inspect(file, unwanted.signal, () => {
      look.hasBegun = true
    })
    const look: Look = { found, unwanted, callers: 0, hasBegun: false }
    this.#looks.set(key, look)
    void found
      .then(
        inspection => inspection && this.#known.set(key, inspection, JSON.stringify(inspection).length),
        error => error instanceof ModelInvalid && this.#known.set(key, error, error.message.length),
      )
      .finally(() => {
        if (this.#looks.get(key) === look) this.#looks.delete(key)
      })
    return look
  }

  #drop(key: string, look: Look): void {
    if (this.#looks.get(key) === look) this.#looks.delete(key)
    look.unwanted.abort()
  }
}
