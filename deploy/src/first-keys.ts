import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createApiKey, hasValidChecksum } from '@millhand/api'
import type { BootstrapKeys } from '@millhand/identity'
import { writeOnce } from './write-once.ts'

export interface FirstKeys extends BootstrapKeys {
  /** The file that holds them; undefined when they were set by variables. */
  readonly file: string | undefined
  /** Whether this start made them. */
  readonly fresh: boolean
}

/**
 * The keys of the first account: as they are set, else those of `bootstrap-keys.json` in the data folder, which the
 * first start makes. The file is written before the store hears of the keys, so a crash in between loses nothing.
 */
export async function firstKeys(dataDir: string, configured: Partial<BootstrapKeys>): Promise<FirstKeys> {
  const { live, test } = configured
  if (live !== undefined && test !== undefined) return { live, test, file: undefined, fresh: false }
  const file = join(dataDir, 'bootstrap-keys.json')
  const fresh = await writeOnce(
    file,
    `${JSON.stringify({ live: createApiKey('live'), test: createApiKey('test') }, null, 2)}\n`,
  )
  const kept = readKeys(file, await readFile(file, 'utf8'))
  return { live: live ?? kept.live, test: test ?? kept.test, file, fresh }
}

function readKeys(file: string, text: string): BootstrapKeys {
  const { live, test } = JSON.parse(text) as Partial<BootstrapKeys>
  if (!live || !test || !hasValidChecksum(live) || !hasValidChecksum(test)) {
    throw new Error(`${file} does not hold a live and a test key; restore it, or remove it to have new keys made`)
  }
  return { live, test }
}
