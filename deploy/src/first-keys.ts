import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createApiKey, hasValidChecksum } from '@millhand/api'
import type { BootstrapKeys } from '@millhand/identity'
import { writeOnce } from './write-once.ts'

export interface FirstKeys extends BootstrapKeys {
  /** The file that the keys are kept in which no variable sets; undefined where variables set both. */
  readonly file: string | undefined
  /** Those of them that this start made. */
  readonly made: Partial<BootstrapKeys>
}

/**
 * The keys of the first account: as they are set, else those of `bootstrap-keys.json` in the data folder, which the
 * first start makes. The file is written before the store hears of the keys, so a crash in between loses nothing.
 */
export async function firstKeys(dataDir: string, configured: Partial<BootstrapKeys>): Promise<FirstKeys> {
  const { live, test } = configured
  if (live !== undefined && test !== undefined) return { live, test, file: undefined, made: {} }
  const file = join(dataDir, 'bootstrap-keys.json')
  const isFresh = await writeOnce(
    file,
    `${JSON.stringify({ live: createApiKey('live'), test: createApiKey('test') }, null, 2)}\n`,
  )
  const kept = readKeys(file, await readFile(file, 'utf8'))
  const made = { ...(live === undefined && { live: kept.live }), ...(test === undefined && { test: kept.test }) }
  return { ...kept, ...configured, file, made: isFresh ? made : {} }
}

function readKeys(file: string, text: string): BootstrapKeys {
  const { live, test } = JSON.parse(text) as Partial<BootstrapKeys>
  if (!live || !test || !hasValidChecksum(live) || !hasValidChecksum(test)) {
    throw new Error(`${file} does not hold a live and a test key; restore it, or remove it to have new keys made`)
  }
  return { live, test }
}
