import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readKept, UnusableFile } from './unusable-file.ts'
import { writeOnce } from './write-once.ts'

/** As `MILLHAND_SECRET_KEY` must have; those of the file are written as 43 characters. */
const LEAST_BYTES = 32

export interface SecretKeyOptions {
  readonly dataDir: string
  /** `MILLHAND_SECRET_KEY`. */
  readonly configured: string | undefined
  /** Whether nothing is kept yet that was made with a key. */
  readonly isFirstStart: () => Promise<boolean>
}

/**
 * The key that seals cursors and secrets at rest: as it is set, else 32 random bytes made at the first start.
 * Fails with `UnusableFile` where what is kept is too short to be one, or has gone since.
 */
export async function secretKey({ dataDir, configured, isFirstStart }: SecretKeyOptions): Promise<Uint8Array> {
  const file = fileIn(dataDir)
  if (configured === undefined && !existsSync(file)) {
    if (!(await isFirstStart())) {
      throw new UnusableFile(
        file,
        'is missing, and what is kept beside it was made with a secret key',
        `Restore it from a backup, or set MILLHAND_SECRET_KEY where the key was set before. Only if it is lost make a new one, with \`(umask 077; openssl rand -base64 32 > ${file})\`: ${WITHOUT_IT}`,
      )
    }
    await writeOnce(file, randomBytes(LEAST_BYTES).toString('base64url'))
  }
  return await keptSecretKey(dataDir, configured)
}

/** What another key costs. */
const WITHOUT_IT = 'cursors that callers hold end then, and webhooks are not delivered until their secrets are rotated'

/** The same, of a data folder that has had its first start. Fails with `UnusableFile` where it has not. */
export async function keptSecretKey(dataDir: string, configured: string | undefined): Promise<Uint8Array> {
  if (configured !== undefined) return Buffer.from(configured)
  const file = fileIn(dataDir)
  const key = Buffer.from(await readKept(file))
  if (key.length >= LEAST_BYTES) return key
  throw new UnusableFile(
    file,
    `has ${key.length} bytes, and a secret key has at least ${LEAST_BYTES}`,
    `Restore it from a backup, or make a new one, with \`(umask 077; openssl rand -base64 32 > ${file})\`: ${WITHOUT_IT}`,
  )
}

const fileIn = (dataDir: string) => join(dataDir, 'secret-key')
