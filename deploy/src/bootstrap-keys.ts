import { join } from 'node:path'
import { createApiKey, hasValidChecksum, type KeyMode, modeOfKey } from '@millhand/api'
import type { BootstrapKeys } from '@millhand/identity'
import { readKept, UnusableFile } from './unusable-file.ts'
import { writeOnce } from './write-once.ts'

export interface EnsuredKeys extends BootstrapKeys {
  /** The file that the keys are kept in which no variable sets; undefined where variables set both. */
  readonly file: string | undefined
  /** Those of them that this start made. */
  readonly made: Partial<BootstrapKeys>
}

/**
 * The keys of the first account: as they are set, else those of `bootstrap-keys.json` in the data folder, which the
 * first start makes. The file is written before the store hears of the keys, so a crash in between loses nothing.
 * Fails with `UnusableFile` where what is kept is no such file.
 */
export async function ensureBootstrapKeys(dataDir: string, configured: Partial<BootstrapKeys>): Promise<EnsuredKeys> {
  const { live, test } = configured
  if (live !== undefined && test !== undefined) return { live, test, file: undefined, made: {} }
  const file = join(dataDir, 'bootstrap-keys.json')
  const isFresh = await writeOnce(
    file,
    `${JSON.stringify({ live: createApiKey('live'), test: createApiKey('test') }, null, 2)}\n`,
  )
  const kept = readKeys(file, await readKept(file))
  const made = { ...(live === undefined && { live: kept.live }), ...(test === undefined && { test: kept.test }) }
  return { ...kept, ...configured, file, made: isFresh ? made : {} }
}

function readKeys(file: string, text: string): BootstrapKeys {
  const { live, test } = parse(text)
  if (isKey(live, 'live') && isKey(test, 'test')) return { live, test }
  throw new UnusableFile(
    file,
    'does not hold a live and a test key',
    'Restore it from a backup, or remove it to have new keys made: the old ones go on working',
  )
}

/** Its members, none where it is no JSON object. */
function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

const isKey = (value: unknown, mode: KeyMode): value is string =>
  typeof value === 'string' && hasValidChecksum(value) && modeOfKey(value) === mode
