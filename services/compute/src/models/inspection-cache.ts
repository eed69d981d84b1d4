/** What was found in files that custom tasks run, so that not every create looks into the same file. */
import type { OnnxInspection } from '@millhand/model'
import { KeyedMutex } from '@millhand/process'
import type { StoredFile } from '../files/file.ts'
import { BoundedCache } from './bounded-cache.ts'

type Inspect = (file: StoredFile, signal: AbortSignal) => Promise<OnnxInspection | undefined>

/** Keeps the latest, by tenant and content. */
export class InspectionCache {
  readonly #inspect: Inspect
  readonly #known = new BoundedCache<OnnxInspection>()
  readonly #mutex = new KeyedMutex()

  constructor(inspect: Inspect) {
    this.#inspect = inspect
  }

  /** What is in the file; undefined where it is gone. Of several calls at once one looks. Rejects as an `Inspector` does. */
  async of(file: StoredFile, signal: AbortSignal): Promise<OnnxInspection | undefined> {
    const key = `${file.tenant} ${file.sha256}`
    return this.#known.get(key) ?? (await this.#mutex.runExclusive(key, () => this.#look(key, file, signal)))
  }

  async #look(key: string, file: StoredFile, signal: AbortSignal): Promise<OnnxInspection | undefined> {
    const known = this.#known.get(key)
    if (known) return known
    signal.throwIfAborted()
    const inspection = await this.#inspect(file, signal)
    if (inspection) this.#known.set(key, inspection, JSON.stringify(inspection).length)
    return inspection
  }
}
