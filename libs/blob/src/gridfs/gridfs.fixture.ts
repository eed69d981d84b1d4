/** What the tests of the adapter look at and wait for. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { type ManualClock, manualClock } from '@millhand/process'
import { type Db, MongoClient } from 'mongodb'
import type { Blobs } from '../blobs.ts'
import type { BlobRecord } from './blob-records.ts'
import { type GridfsBlobs, gridfsBlobs } from './gridfs.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const MIB = 1024 * 1024

/** A signal that does not fire. */
export const never = new AbortController().signal

export interface Opened {
  readonly blobs: GridfsBlobs
  readonly clock: ManualClock
  readonly db: Db
}

/** Blobs in the database, and a look at what they keep there. */
export function openBlobs(t: { after(fn: () => Promise<unknown>): void }, url: string): Opened {
  const clock = manualClock(Date.now())
  const blobs = gridfsBlobs({ url, clock })
  const client = new MongoClient(url)
  t.after(() => Promise.all([blobs.close(), client.close()]))
  return { blobs, clock, db: client.db() }
}

export async function read(blobs: Blobs, key: string, range?: { start: number; end: number }): Promise<Buffer> {
  const stream = await blobs.get(key, range)
  assert.ok(stream, `nothing under ${key}`)
  return buffer(stream)
}

export async function keys(blobs: Blobs, prefix: string): Promise<string[]> {
  const found: string[] = []
  for await (const { key } of blobs.list(prefix)) found.push(key)
  return found.sort()
}

export const recordOf = (db: Db, key: string) => db.collection<BlobRecord>('blobs.keys').findOne({ _id: key })

export const chunkCount = (db: Db) => db.collection('blobs.chunks').countDocuments()

export async function assertNothingLeft(db: Db): Promise<void> {
  assert.deepEqual(await db.collection('blobs.keys').find().toArray(), [])
  assert.equal(await chunkCount(db), 0)
}

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

export async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise(resolve => setImmediate(resolve))
}
