/** What every adapter of `Blobs` has to do. An adapter's test calls `describeBlobs` and adds its own. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { type BlobRange, BlobRangeNotSatisfiable, type Blobs, BlobTooLarge, InvalidBlobKey } from './blobs.ts'

export interface OpenBlobs {
  readonly blobs: Blobs
  /** Closes it and opens what it left. */
  reopen(): Promise<OpenBlobs>
  close(): Promise<void>
}

export function describeBlobs(name: string, open: () => Promise<OpenBlobs>): void {
  describe(`${name}: Blobs`, () => {
    let opened: OpenBlobs
    let blobs: Blobs

    beforeEach(async () => {
      opened = await open()
      blobs = opened.blobs
    })
    afterEach(() => opened.close())

    const text = async (key: string, range?: BlobRange) => {
      const stream = await blobs.get(key, range)
      return stream && (await buffer(stream)).toString()
    }
    async function keys(prefix: string): Promise<string[]> {
      const found: string[] = []
      for await (const { key } of blobs.list(prefix)) found.push(key)
      return found.sort()
    }

    it('gives back what was put, and its size and hash', async () => {
      const bytes = Buffer.from('hello, world')
      const expected = { size: 12, sha256: createHash('sha256').update(bytes).digest('hex') }
      assert.deepEqual(await blobs.put('bytes', bytes), expected)
      assert.deepEqual(await blobs.put('stream', Readable.from([bytes.subarray(0, 5), bytes.subarray(5)])), expected)
      assert.equal(await text('bytes'), 'hello, world')
      assert.equal(await text('stream'), 'hello, world')
    })

    it('stores a part of a larger array, and empty contents', async () => {
      await blobs.put('part', Buffer.from('abcdef').subarray(2, 4))
      assert.equal(await text('part'), 'cd')
      await blobs.put('empty', Readable.from([]))
      assert.equal(await text('empty'), '')
    })

    it('has nothing under a key that was never put', async () => {
      assert.equal(await blobs.get('nothing'), undefined)
      assert.equal(await blobs.get('no/thing', { start: 0, end: 1 }), undefined)
      await blobs.delete('nothing')
    })

    it('gives ranges, both ends included, cut at the end', async () => {
      await blobs.put('k', Buffer.from('0123456789'))
      assert.equal(await text('k', { start: 0, end: 0 }), '0')
      assert.equal(await text('k', { start: 3, end: 5 }), '345')
      assert.equal(await text('k', { start: 8, end: 100 }), '89')
      assert.equal(await text('k', { start: 9, end: Number.POSITIVE_INFINITY }), '9')
    })

    it('refuses a range that begins at the end or beyond, and tells the size', async () => {
      await blobs.put('k', Buffer.from('0123'))
      await blobs.put('empty', Readable.from([]))
      const refused = new BlobRangeNotSatisfiable(4)
      await assert.rejects(blobs.get('k', { start: 4, end: 9 }), refused)
      await assert.rejects(blobs.get('k', { start: 5_000_000, end: Number.POSITIVE_INFINITY }), refused)
      await assert.rejects(blobs.get('empty', { start: 0, end: 0 }), new BlobRangeNotSatisfiable(0))
    })

    it('refuses what is no range, whatever there is', async () => {
      await blobs.put('k', Buffer.from('0123'))
      for (const [start, end] of [
        [2, 1],
        [-1, 1],
        [0.5, 1],
        [0, 1.5],
        [Number.NaN, 1],
        [0, Number.NaN],
        [2 ** 53, Number.POSITIVE_INFINITY],
        [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
      ] as const) {
        for (const key of ['k', 'nothing']) await assert.rejects(blobs.get(key, { start, end }), RangeError)
      }
    })

    it('replaces, and leaves alone who reads the old contents', async () => {
      const old = Buffer.alloc(1_000_000, 'a')
      await blobs.put('k', old)
      const reading = await blobs.get('k')
      assert.ok(reading)
      await blobs.put('k', Buffer.from('new'))
      assert.ok((await buffer(reading)).equals(old))
      assert.equal(await text('k'), 'new')
    })

    it('deletes', async () => {
      await blobs.put('a/b', Buffer.from('x'))
      await blobs.delete('a/b')
      assert.equal(await blobs.get('a/b'), undefined)
      assert.deepEqual(await keys(''), [])
    })

    it('keeps apart a key and the keys below it', async () => {
      await blobs.put('a/b', Buffer.from('below'))
      await blobs.put('a', Buffer.from('above'))
      await blobs.put('a/b/c', Buffer.from('deep'))
      assert.deepEqual(await Promise.all(['a', 'a/b', 'a/b/c'].map(key => text(key))), ['above', 'below', 'deep'])
    })

    it('lists the keys that begin with a prefix, with their time', async () => {
      const before = Date.now()
      for (const key of ['t1/file_1', 't1/file_2', 't1/sub/x', 't2/file_1', 't10/x'])
        await blobs.put(key, Buffer.from(key))
      assert.deepEqual(await keys(''), ['t1/file_1', 't1/file_2', 't1/sub/x', 't10/x', 't2/file_1'])
      assert.deepEqual(await keys('t1'), ['t1/file_1', 't1/file_2', 't1/sub/x', 't10/x'])
      assert.deepEqual(await keys('t1/'), ['t1/file_1', 't1/file_2', 't1/sub/x'])
      assert.deepEqual(await keys('t1/file_2'), ['t1/file_2'])
      assert.deepEqual(await keys('t1/file_2x'), [])
      assert.deepEqual(await keys('t3/'), [])
      for await (const { writtenAt } of blobs.list('')) assert.ok(Math.abs(writtenAt - before) < 60_000)
    })

    it('survives a reopening', async () => {
      await blobs.put('a/b', Buffer.from('kept'))
      opened = await opened.reopen()
      blobs = opened.blobs
      assert.equal(await text('a/b'), 'kept')
    })

    it('stores nothing of what is too large, and leaves the stream to its owner', async () => {
      await blobs.put('k', Buffer.from('before'))
      const endless = new Readable({ read: () => endless.push(Buffer.alloc(1000)) })
      await assert.rejects(blobs.put('k', endless, { maxBytes: 10_000 }), new BlobTooLarge(10_000))
      assert.equal(endless.destroyed, false)
      endless.destroy()
      await assert.rejects(blobs.put('k', Buffer.from('12345'), { maxBytes: 4 }), BlobTooLarge)
      assert.equal(await text('k'), 'before')
      assert.equal((await blobs.put('k', Buffer.from('1234'), { maxBytes: 4 })).size, 4)
    })

    it('stores nothing of a stream that breaks, and rejects with its error', async () => {
      const broken = new PassThrough()
      broken.write('begun')
      const failure = new Error('connection lost')
      const putting = blobs.put('k', broken)
      setImmediate(() => broken.destroy(failure))
      await assert.rejects(putting, failure)
      assert.equal(await blobs.get('k'), undefined)
    })

    it('stores nothing of a stream that ends too early', async () => {
      const cut = new PassThrough()
      cut.write('begun')
      const putting = blobs.put('k', cut)
      setImmediate(() => cut.destroy())
      await assert.rejects(putting)
      assert.equal(await blobs.get('k'), undefined)
    })

    it('stops when the signal ends, also while it waits for the stream', async () => {
      const stop = new AbortController()
      const silent = new PassThrough()
      silent.write('begun')
      const reason = new Error('no longer wanted')
      void waitedFor(silent).then(() => stop.abort(reason))
      const putting = blobs.put('k', silent, { signal: stop.signal })
      await assert.rejects(putting, reason)
      await assert.rejects(blobs.put('k', Buffer.from('x'), { signal: stop.signal }), reason)
      assert.equal(await blobs.get('k'), undefined)
      silent.destroy()
    })

    it('takes its listeners off a stream that it refuses, also one that is silent, so that it can be drained', async () => {
      const large = new PassThrough()
      const silent = new PassThrough()
      const streams = [large, silent]
      const listeners = (stream: Readable) =>
        stream.eventNames().reduce((sum, name) => sum + stream.listenerCount(name), 0)
      const before = streams.map(listeners)
      const stop = new AbortController()
      large.write('12345')
      silent.write('begun')
      const reason = new Error('no longer wanted')
      void waitedFor(silent).then(() => stop.abort(reason))
      await assert.rejects(blobs.put('k', silent, { signal: stop.signal }), reason)
      await assert.rejects(blobs.put('k', large, { maxBytes: 4 }), BlobTooLarge)
      assert.deepEqual(streams.map(listeners), before)
      for (const stream of streams) {
        const ended = once(stream.resume(), 'end')
        stream.end('the rest')
        await ended
      }
    })

    it('ends with one whole of many puts at once, each of which resolves with its own size and hash', async () => {
      const contents = Array.from({ length: 8 }, (_, n) => `${n}`.repeat(50_000 + n))
      assert.deepEqual(
        await Promise.all(contents.map(content => blobs.put('k', Readable.from([Buffer.from(content)])))),
        contents.map(content => ({ size: content.length, sha256: createHash('sha256').update(content).digest('hex') })),
      )
      assert.ok(contents.includes((await text('k')) ?? ''))
    })

    it('takes keys of 512 characters and words of 200', async () => {
      const longest = `${'a'.repeat(200)}/${'b'.repeat(200)}/${'c/'.repeat(54)}dd`
      assert.equal(longest.length, 512)
      await blobs.put(longest, Buffer.from('x'))
      assert.equal(await text(longest), 'x')
      assert.deepEqual(await keys(longest.slice(0, 401)), [longest])
      assert.deepEqual(await keys(`${longest}/${longest}`), [])
      await blobs.delete(longest)
      assert.equal(await blobs.get(longest), undefined)
    })

    it('refuses what is not a key, in every method', async () => {
      const long = ['x'.repeat(201), `${'ab/'.repeat(170)}abc`, `${'a/'.repeat(50_000)}a`]
      const bad = ['', '.', '..', '../x', 'a/../b', 'a//b', '/a', 'a/', 'a b', 'a\\b', 'a\u0000', 'ä', ...long]
      for (const key of bad) {
        await assert.rejects(blobs.put(key, Buffer.from('x')), InvalidBlobKey, key)
        await assert.rejects(blobs.get(key), InvalidBlobKey, key)
        await assert.rejects(blobs.delete(key), InvalidBlobKey, key)
      }
      assert.deepEqual(await keys('../'), [])
      assert.deepEqual(await keys(''), [])
    })
  })
}

/** Resolves when all was read that the stream holds, and its reader waits for more. */
function waitedFor(stream: Readable): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { read } = stream
  stream.read = size => {
    const chunk = read.call(stream, size)
    if (chunk === null && size === undefined) setImmediate(resolve)
    return chunk
  }
  return promise
}
