import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { freePort } from './ports.ts'

async function taken(port: number): Promise<AsyncDisposable> {
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}

/** Blocks of which no other suite listens on the first port now. */
async function* freeBlocks(): AsyncGenerator<number> {
  for (let block = 0; block < 220; block++) {
    const first = await taken(10_000 + 100 * block).catch(() => undefined)
    await first?.[Symbol.asyncDispose]()
    if (first !== undefined) yield block
  }
}

test('a block that another process has is passed over', async t => {
  const [busy, free] = (await Array.fromAsync(freeBlocks())) as [number, number]
  await using _ = await taken(10_000 + 100 * busy)
  const dice = [busy, free].map(block => (block + 0.5) / 220)
  t.mock.method(Math, 'random', () => dice.shift() ?? assert.fail('both blocks were passed over'))
  assert.equal(await freePort(), 10_000 + 100 * free + 1)
})

test('a port that somebody listens on is passed over', async () => {
  const before = await freePort()
  await using _ = await taken(before + 1)
  assert.equal(await freePort(), before + 2)
})
