import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OnnxInspection } from '@millhand/model'
import type { StoredFile } from '../files/file.ts'
import { InspectionCache } from './inspection-cache.ts'
import { ModelInvalid } from './inspector.ts'

const file = { tenant: 'acct_a/live', sha256: 'aa' } as StoredFile
const found = { operators: ['Abs'] } as unknown as OnnxInspection
const never = new AbortController().signal
const gone = (controller: AbortController) => controller.abort(new Error('the caller has left'))

/** A cache, and the looks that it has had begun: a test says when their turn comes and how they end. */
function open() {
  const looks: {
    readonly begin: () => void
    readonly signal: AbortSignal
    readonly end: PromiseWithResolvers<OnnxInspection>
  }[] = []
  const cache = new InspectionCache((_, signal, begin) => {
    const end = Promise.withResolvers<OnnxInspection>()
    signal.addEventListener('abort', () => end.reject(signal.reason))
    looks.push({ begin, signal, end })
    return end.promise
  })
  return { cache, looks }
}

test('a look that has begun goes on when its caller has left, and the next call has what it found', async () => {
  const { cache, looks } = open()
  const caller = new AbortController()
  const first = assert.rejects(cache.of(file, caller.signal), /has left/)
  looks[0]?.begin()
  gone(caller)
  await first
  assert.equal(looks[0]?.signal.aborted, false)
  const second = cache.of(file, never)
  looks[0]?.end.resolve(found)
  assert.equal(await second, found)
  assert.equal(await cache.of(file, never), found)
  assert.equal(looks.length, 1)
})

test('what was found wrong with a file is known too', async () => {
  const { cache, looks } = open()
  const caller = new AbortController()
  const first = assert.rejects(cache.of(file, caller.signal), /has left/)
  looks[0]?.begin()
  gone(caller)
  await first
  looks[0]?.end.reject(new ModelInvalid('it has no graph'))
  await new Promise(setImmediate)
  await assert.rejects(cache.of(file, never), ModelInvalid)
  assert.equal(looks.length, 1)
})

test('a look whose turn has not come ends with the last of its callers', async () => {
  const { cache, looks } = open()
  const [one, other] = [new AbortController(), new AbortController()]
  const both = [one, other].map(({ signal }) => assert.rejects(cache.of(file, signal), /has left/))
  gone(one)
  assert.equal(looks[0]?.signal.aborted, false)
  gone(other)
  await Promise.all(both)
  assert.equal(looks[0]?.signal.aborted, true)
  const next = cache.of(file, never)
  looks[1]?.end.resolve(found)
  assert.equal(await next, found)
})

test('a look that failed for want of something else is begun again', async () => {
  const { cache, looks } = open()
  const first = assert.rejects(cache.of(file, never), /the disk is full/)
  looks[0]?.end.reject(new Error('the disk is full'))
  await first
  const second = cache.of(file, never)
  looks[1]?.end.resolve(found)
  assert.equal(await second, found)
})
