import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { readKept, UnusableFile } from './unusable-file.ts'
import { writeOnce } from './write-once.ts'

/** As `MILLHAND_SECRET_KEY` must have; those of the file are written as 43 characters. */
const LEAST_BYTES = 32

/**
 * The key that seals cursors and secrets at rest: as it is set, else 32 random bytes made at the first start.
 * Fails with `UnusableFile` where what is kept is too short to be one.
 */
export async function secretKey(dataDir: string, configured: string | undefined): Promise<Uint8Array> {
  if (configured === undefined) await writeOnce(fileIn(dataDir), randomBytes(LEAST_BYTES).toString('base64url'))
  return await keptSecretKey(dataDir, configured)
}

/** The same, of a data folder that has had its first start. Fails with `UnusableFile` where it has not. */
export async function keptSecretKey(dataDir: string, configured: string | undefined): Promise<Uint8Array> {
  if (configured !== undefined) return Buffer.from(configured)
  const file = fileIn(dataDir)
  const key = Buffer.from(await readKept(file))
  if (key.length >= LEAST_BYTES) return key
  throw new UnusableFile(
    file,
    `has ${key.length} bytes, and a secret key has at least ${LEAST_BYTES}`,
    'Restore it from a backup, or remove it to have a new one made: cursors that callers hold end then, and webhooks are not delivered until their secrets are rotated',
  )
}

const fileIn = (dataDir: string) => join(dataDir, 'secret-key')
