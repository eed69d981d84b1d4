/**
 * That an adapter of `Blobs` holds little of what it puts and gets. Its test calls this in a file, and so a process, of
 * its own: what other tests have left free would hide what is taken here.
 */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import type { TestContext } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Blobs } from './blobs.ts'

const MIB = 1024 * 1024

/** Puts and gets `size` MiB, and fails when the process then has `limit` MiB more than before. */
export async function checkMemory(t: TestContext, blobs: Blobs, { size, limit }: { size: number; limit: number }) {
  await blobs.put('warm', Buffer.from('x'))

  // Node collects tens of MiB late, whatever is put: here only what is held counts.
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  const resident = () => {
    for (let twice = 0; twice < 2; twice++) collect()
    return process.memoryUsage.rss()
  }
  const before = resident()
  let most = before
  const look = () => {
    most = Math.max(most, resident())
  }
  const check = (what: string) => {
    const more = (most - before) / MIB
    t.diagnostic(`${what}: ${more.toFixed(1)} MiB`)
    assert.ok(more < limit, `${what}: ${more} MiB`)
  }

  async function* contents() {
    for (let n = 0; n < size; n++) {
      for (let part = 0; part < 16; part++) yield Buffer.alloc(MIB / 16, n)
      if (n % 2 === 1) look()
    }
  }
  await blobs.put('k', Readable.from(contents()), { signal: new AbortController().signal })
  check('put')
  let bytes = 0
  for await (const part of (await blobs.get('k')) ?? []) {
    bytes += part.length
    if (bytes % (2 * MIB) === 0) look()
  }
  assert.equal(bytes, size * MIB)
  check('get')
}
