/** What uploads and downloads promise, on whatever stores. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Code, ConnectError } from '@connectrpc/connect'
import { metadataOf } from '@millhand/api'
import { FilePurpose } from '@millhand/api/gen/millhand/compute/v1/file_pb.ts'
import { Mode } from '@millhand/api/gen/millhand/type/v1/mode_pb.ts'
import {
  as,
  assertInStep,
  data,
  described,
  download,
  givenFiles,
  inOperation,
  type Opened,
  openService,
  type Part,
  refusal,
  sha256,
  stream,
  upload,
} from './files.fixture.ts'

export function describeUploads(name: string, open: () => Promise<Opened>): void {
  describe(`uploads to ${name}`, () => {
    const given = givenFiles(open)

    it('gives back what was sent, and says what it is', async () => {
      const sent = {
        filename: 'receipt.txt',
        mediaType: 'text/plain; charset=utf-8',
        purpose: FilePurpose.DATASET,
        expiresAfterS: 60,
        metadata: { a: 'b' },
      }
      const parts = stream(described(sent), data('hello, '), data(''), data('world'))
      const file = await given.service.client.uploadFile(parts, given.caller)
      const { id, createdAt, ...rest } = file
      assert.match(id, /^file_/)
      assert.deepEqual(
        { ...rest, expiresAt: Number(file.expiresAt?.seconds) - Number(createdAt?.seconds) },
        {
          $typeName: 'millhand.compute.v1.File',
          purpose: FilePurpose.DATASET,
          filename: 'receipt.txt',
          mediaType: 'text/plain; charset=utf-8',
          bytes: 12,
          sha256: sha256('hello, world'),
          mode: Mode.LIVE,
          metadata: { a: 'b' },
          expiresAt: 60,
        },
      )
      assert.deepEqual(await given.service.client.getFile({ id }, given.caller), file)
      assert.equal(await download(given.service, given.caller, id), 'hello, world')

      const bare = await upload(given.service, given.caller, '')
      assert.deepEqual(
        [bare.purpose, bare.filename, bare.mediaType, bare.bytes, bare.expiresAt],
        [FilePurpose.INPUT, '', 'application/octet-stream', 0, undefined],
      )
      assert.equal(await download(given.service, given.caller, bare.id), '')
      const picture = await upload(given.service, given.caller, 'x', { mediaType: 'image/*' })
      assert.equal(picture.mediaType, 'image/*')
    })

    it('gives ranges, and says the size where there is none', async () => {
      const { id } = await upload(given.service, given.caller, '0123456789')
      assert.equal(await download(given.service, given.caller, id, { start: 3, end: 5 }), '345')
      assert.equal(await download(given.service, given.caller, id, { start: 8 }), '89')
      assert.equal(await download(given.service, given.caller, id, { suffix: 2 }), '89')
      const error = await download(given.service, given.caller, id, { start: 10 }).catch((error: unknown) => error)
      assert.deepEqual(metadataOf(error), { size: '10' })
      for await (const { part } of given.service.client.getFileContent({ id, start: 3, end: 5 }, given.caller)) {
        if (part.case !== 'slice') continue
        assert.deepEqual([part.value.file?.id, part.value.start, part.value.length], [id, 3, 3])
      }
    })

    it('refuses what is no upload', async () => {
      const none: Part = { part: { case: undefined } }
      for (const [parts, code] of [
        [[], 'missing_parameter'],
        [[data('late')], 'missing_parameter'],
        [[none], 'missing_parameter'],
        [[described(), described()], 'invalid_parameter'],
        [[described(), data('x'), described()], 'invalid_parameter'],
        [[described(), none], 'missing_parameter'],
        [[described({ mediaType: 'text' })], 'invalid_parameter'],
        [[described({ mediaType: 'text/plain; a=b\r\nx: y' })], 'invalid_parameter'],
        [[described({ purpose: FilePurpose.OUTPUT })], 'invalid_parameter'],
        [[described({ expiresAfterS: 59 })], 'invalid_parameter'],
      ] as const) {
        assert.equal(
          await refusal(given.service.client.uploadFile(stream(...parts), given.caller)),
          code,
          JSON.stringify(parts),
        )
      }
      assert.deepEqual(await given.blobs(), [])
    })

    it('stores nothing of more than 512 MiB', async () => {
      let most: number | undefined
      const small = openService(
        {
          ...given.stores,
          blobs: {
            ...given.stores.blobs,
            put(key, content, options) {
              most = options?.maxBytes
              return given.stores.blobs.put(key, content, { ...options, maxBytes: 1_000 })
            },
          },
        },
        given.clock,
      )
      assert.equal((await upload(small, given.caller, 'x'.repeat(1_000))).bytes, 1_000)
      assert.equal(await refusal(upload(small, given.caller, 'x'.repeat(1_001))), 'payload_too_large')
      assert.equal(most, 512 * 1024 * 1024)
      assert.deepEqual([(await given.blobs()).length, await given.used()], [1, 1_000])
      await assertInStep(given.stores)
    })

    it('leaves nothing of 500 uploads that break off', async () => {
      const some = data('x'.repeat(100_000))
      async function* breaks() {
        yield described()
        yield some
        throw new Error('connection lost')
      }
      async function* endless() {
        yield described()
        for (;;) {
          yield some
          await new Promise(resolve => setImmediate(resolve))
        }
      }
      async function* silent() {
        yield described()
        yield some
        await new Promise(() => {})
      }
      const codes = new Set<Code>()
      for (let round = 0; round < 25; round++) {
        const uploads = Array.from({ length: 20 }, (_, n) => {
          const abort = new AbortController()
          setImmediate(() => setImmediate(() => abort.abort()))
          const ways = [
            () => given.service.client.uploadFile(breaks(), given.caller),
            () => given.service.client.uploadFile(endless(), as(given.account, 'live', { signal: abort.signal })),
            () => given.service.client.uploadFile(silent(), as(given.account, 'live', { timeoutMs: 5 })),
            () => given.service.client.uploadFile(stream(described(), some, described()), given.caller),
          ]
          return (ways[n % ways.length] as (typeof ways)[0])()
        })
        for (const result of await Promise.allSettled(uploads)) {
          assert.ok(result.status === 'rejected')
          codes.add(ConnectError.from(result.reason).code)
        }
      }
      assert.deepEqual(
        [...codes].sort(),
        [Code.Canceled, Code.InvalidArgument, Code.DeadlineExceeded, Code.Internal].sort(),
      )
      // A call that was cancelled is answered before its handler has tidied up.
      const left = () => given.stores.contents.find('primary', { equals: [`${given.account}/live`], limit: 1 })
      while ((await left()).length > 0) await new Promise(resolve => setImmediate(resolve))
      assert.deepEqual([await given.blobs(), await given.used()], [[], 0])
    })

    it('makes one file of an operation, however often and however many at once it is sent', async () => {
      const caller = inOperation(given.caller, '01jd7x8f2wfyqs3m6k9v0t4b5c')
      const files = await Promise.all(Array.from({ length: 5 }, () => upload(given.service, caller, 'once')))
      files.push(await upload(given.service, caller, 'once'))
      assert.equal(new Set(files.map(({ id }) => id)).size, 1)
      assert.equal(await refusal(upload(given.service, caller, 'twice')), 'idempotency_mismatch')
      const { data: listed } = await given.service.client.listFiles({}, given.caller)
      assert.deepEqual([listed.length, (await given.blobs()).length, await given.used()], [1, 1, 4])
      const full = openService(given.stores, given.clock, { quotaBytes: 4 })
      assert.equal((await upload(full, caller, 'once')).id, files[0]?.id)
      await given.service.client.deleteFile({ id: files[0]?.id ?? '' }, given.caller)
      assert.equal(await refusal(upload(given.service, caller, 'once')), 'not_found')
      const other = inOperation(as(`${given.account}0`), '01jd7x8f2wfyqs3m6k9v0t4b5c')
      assert.ok(await upload(given.service, other, 'once'))
    })

    it('lets a download that has begun read on to its end', async () => {
      const text = 'long'.repeat(500_000)
      const { id } = await upload(given.service, given.caller, text.slice(0, 1_000_000))
      const reading = given.service.client.getFileContent({ id }, given.caller)[Symbol.asyncIterator]()
      await reading.next()
      await given.service.client.deleteFile({ id }, given.caller)
      let bytes = 0
      for (let next = await reading.next(); !next.done; next = await reading.next()) {
        if (next.value.part.case === 'data') bytes += next.value.part.value.length
      }
      assert.equal(bytes, 1_000_000)
    })
  })
}
