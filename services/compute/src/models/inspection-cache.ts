/** What was found in files that custom tasks run, so that not every create looks into the same file. */
import type { OnnxInspection } from '@millhand/model'
import type { StoredFile } from '../files/file.ts'

type Inspect = (file: StoredFile, signal: AbortSignal) => Promise<OnnxInspection | undefined>

const MOST_ENTRIES = 1_000
/** Characters of JSON; what is larger is looked into each time. */
const MOST_CHARACTERS = 65_536

/** Keeps the latest, by tenant and content. */
export class InspectionCache {
  readonly #inspect: Inspect
  readonly #known = new Map<string, OnnxInspection>()

  constructor(inspect: Inspect) {
    this.#inspect = inspect
  }

  /** What is in the file; undefined where it is gone. Rejects as an `Inspector` does. */
  async of(file: StoredFile, signal: AbortSignal): Promise<OnnxInspection | undefined> {
    const key = `${file.tenant} ${file.sha256}`
    const inspection = this.#known.get(key) ?? (await this.#inspect(file, signal))
    this.#known.delete(key)
    if (inspection === undefined || JSON.stringify(inspection).length > MOST_CHARACTERS) return inspection
    this.#known.set(key, inspection)
    const [oldest] = this.#known.keys()
    if (this.#known.size > MOST_ENTRIES && oldest !== undefined) this.#known.delete(oldest)
    return inspection
  }
}
