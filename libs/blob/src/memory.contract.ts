/** That an adapter of `Blobs` holds little of what it puts and gets. Its test calls this in a file of its own. */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import type { TestContext } from 'node:test'
import type { Blobs } from './blobs.ts'
import { heldMemory, MIB } from './held-memory.fixture.ts'

/** Puts and gets `size` MiB, and fails when the process then has `limit` MiB more than before. */
export async function checkMemory(t: TestContext, blobs: Blobs, { size, limit }: { size: number; limit: number }) {
  await blobs.put('warm', Buffer.from('x'))
  const { look, check } = heldMemory(t, limit)

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
