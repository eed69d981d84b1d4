/** What becomes of an image that is larger than images may be. */
import assert from 'node:assert/strict'
import { addAbortSignal, Readable } from 'node:stream'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { systemClock } from '@millhand/process'
import { DriverFault } from '../driver.ts'
import type { Engine } from './engine.ts'
import { ensureImage } from './images.ts'

const mostBytes = 1e9
const image = 'registry.example.com/acme/server:1'

/** An engine whose registry sends these lines of progress, and whose image then has so many bytes. */
function engineWith(lines: readonly object[], size: number) {
  const calls: string[] = []
  let isStopped = false
  const engine: Pick<Engine, 'call' | 'stream'> = {
    async call(method, path) {
      calls.push(`${method} ${path}`)
      return { Id: 'sha256:1', Size: size }
    },
    async stream(_method, _path, { signal }) {
      async function* sent() {
        for (const line of lines) {
          await nextTurn()
          yield `${JSON.stringify(line)}\n`
        }
      }
      signal.addEventListener('abort', () => {
        isStopped = true
      })
      return addAbortSignal(signal, Readable.from(sent()))
    },
  }
  const ensure = (policy = { mostBytes, preloaded: [] as string[] }) =>
    ensureImage(engine as Engine, { image }, policy, systemClock, { signal: new AbortController().signal })
  return { calls, ensure, isStopped: () => isStopped }
}

const layer = (id: string, total: number) => ({ id, status: 'Downloading', progressDetail: { current: 1, total } })
const isTooLarge = (error: unknown) => error instanceof DriverFault && error.reason === 'image_too_large'

test('is given up as soon as its layers are known to be too large', async () => {
  const lines = [layer('a', 6e8), layer('a', 6e8), layer('b', 6e8), layer('b', 6e8)]
  const { calls, ensure, isStopped } = engineWith(lines, 0)
  await assert.rejects(ensure(), isTooLarge)
  assert.ok(isStopped())
  assert.deepEqual(calls, [])
})

test('is removed where it is too large once it is unpacked', async () => {
  const { calls, ensure } = engineWith([layer('a', 1e6)], mostBytes + 1)
  await assert.rejects(ensure(), isTooLarge)
  assert.match(calls.at(-1) ?? '', /^DELETE \/images\//)
})

test('may have as many bytes as it may, and any number where the operator has put it there', async () => {
  const allowed = engineWith([layer('a', mostBytes)], mostBytes)
  assert.equal((await allowed.ensure()).id, 'sha256:1')
  const preloaded = engineWith([], 2 * mostBytes)
  assert.equal((await preloaded.ensure({ mostBytes, preloaded: [image] })).id, 'sha256:1')
})
