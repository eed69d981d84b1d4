import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeOnce } from './write-once.ts'

/** The key that seals cursors and secrets at rest: as it is set, else 32 random bytes made at the first start. */
export async function secretKey(dataDir: string, configured: string | undefined): Promise<Uint8Array> {
  if (configured !== undefined) return Buffer.from(configured)
  const file = join(dataDir, 'secret-key')
  await writeOnce(file, randomBytes(32).toString('base64url'))
  return Buffer.from(await readFile(file, 'utf8'))
}
