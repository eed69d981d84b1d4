/** Folders whose names are durable: a renamed or removed file is so once its folder is synced. */
import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { KeyedBatcher } from '@millhand/process'

/** Then it is forgotten which they are, and they are synced again. */
const MOST_KNOWN = 10_000

export class Folders {
  readonly #top: string
  readonly #syncs = new KeyedBatcher<undefined>()
  /** Those that are durably in the folders above them. */
  readonly #known = new Set<string>()

  /** Folders are below `top`, which is durable itself. */
  constructor(top: string) {
    this.#top = top
  }

  /** Makes the folder and those above it, and does the work, which changes the names in it; all of it is then durable. */
  async change(folder: string, work: () => Promise<void>): Promise<void> {
    const made = await mkdir(folder, { recursive: true })
    await work()
    await this.sync(folder)
    if (made === undefined && this.#known.has(folder)) return
    // Up to the top: another change may have made a folder in between, and not have synced it yet.
    for (let below = folder; below !== this.#top; below = dirname(below)) await this.sync(dirname(below))
    if (this.#known.size === MOST_KNOWN) this.#known.clear()
    this.#known.add(folder)
  }

  /** Makes the names that are in the folder now durable; who asks while it is under way shares the next one. */
  sync(folder: string): Promise<void> {
    return this.#syncs.join(folder, undefined, () => syncFolder(folder))
  }
}

/** Makes the names that are in a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
