/** What files promise, on whatever stores. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FilePurpose } from '@millhand/api/gen/millhand/compute/v1/file_pb.ts'
import { Order } from '@millhand/api/gen/millhand/type/v1/mode_pb.ts'
import { as, assertInStep, download, givenFiles, type Opened, openService, refusal, upload } from './files.fixture.ts'

const HOUR_MS = 3_600_000

export function describeFiles(name: string, open: () => Promise<Opened>): void {
  describe(`files on ${name}`, () => {
    const given = givenFiles(open)

    it('stores the same content once for an account, and shares it with no other', async () => {
      const first = await upload(given.service, given.caller, 'same', { filename: 'a' })
      const second = await upload(given.service, given.caller, 'same', { filename: 'b' })
      const foreign = await upload(given.service, as(`${given.account}x`), 'same')
      const sandbox = await upload(given.service, as(given.account, 'test'), 'same')
      assert.equal((await given.blobs()).length, 2)
      assert.equal((await given.blobs(`${given.account}x`)).length, 1)
      assert.equal(await given.used(), 8)
      await given.service.client.deleteFile({ id: first.id }, given.caller)
      assert.deepEqual([await download(given.service, given.caller, second.id), await given.used()], ['same', 4])
      await given.service.client.deleteFile({ id: second.id }, given.caller)
      assert.deepEqual([(await given.blobs()).length, await given.used()], [1, 0])
      assert.equal(await download(given.service, as(`${given.account}x`), foreign.id), 'same')
      assert.equal(await download(given.service, as(given.account, 'test'), sandbox.id), 'same')
      await assertInStep(given.stores)
    })

    it('keeps one blob or none when the same content comes and goes many times at once', async () => {
      const kept: string[] = []
      await Promise.all(
        Array.from({ length: 20 }, async (_, n) => {
          const { id } = await upload(given.service, given.caller, 'crowd')
          if (n % 4 === 0) kept.push(id)
          else await Promise.all([1, 2].map(() => given.service.client.deleteFile({ id }, given.caller)))
        }),
      )
      assert.deepEqual([(await given.blobs()).length, await given.used()], [1, 5 * kept.length])
      await assertInStep(given.stores)
      for (const id of kept) assert.equal(await download(given.service, given.caller, id), 'crowd')
      await Promise.all(kept.map(id => given.service.client.deleteFile({ id }, given.caller)))
      assert.deepEqual([(await given.blobs()).length, await given.used()], [0, 0])
      await assertInStep(given.stores)
    })

    it('forgets a file from its expiry on, and its bytes at the next sweep', async () => {
      const { id } = await upload(given.service, given.caller, 'short-lived', { expiresAfterS: 60 })
      const stays = await upload(given.service, given.caller, 'stays')
      await given.clock.advance(59_999)
      assert.equal(await download(given.service, given.caller, id), 'short-lived')
      await given.clock.advance(1)
      assert.equal(await refusal(given.service.client.getFile({ id }, given.caller)), 'not_found')
      assert.equal(await refusal(download(given.service, given.caller, id)), 'not_found')
      const { data } = await given.service.client.listFiles({}, given.caller)
      assert.deepEqual(
        data.map(file => file.id),
        [stays.id],
      )
      assert.equal((await given.blobs()).length, 2)
      await given.clock.advance(1)
      await given.service.sweep()
      assert.deepEqual([(await given.blobs()).length, await given.used()], [1, 5])
      await assertInStep(given.stores)
    })

    it('sweeps all others where one can not be swept, and that one when it can', async () => {
      const [tenant, next] = [`${given.account}/live`, `${given.account}x/live`] as const
      for (const caller of [given.caller, as(`${given.account}x`)]) {
        await upload(given.service, caller, 'expires', { expiresAfterS: 60 })
        const files = { ...given.stores.files, write: () => Promise.reject(new Error('it died')) }
        await assert.rejects(upload(openService({ ...given.stores, files }, given.clock), caller, 'half done'))
      }
      await given.clock.advance(2 * HOUR_MS)

      const lines: string[] = []
      const remove = (key: string) =>
        key.startsWith(`files/${tenant}/`) ? Promise.reject(new Error('EIO')) : given.stores.blobs.delete(key)
      const blobs = { ...given.stores.blobs, delete: remove }
      const broken = openService({ ...given.stores, blobs }, given.clock, { write: line => lines.push(line) })
      await broken.sweep()
      assert.equal(lines.length, 2, lines.join(''))
      assert.deepEqual([(await given.blobs()).length, await given.blobs(`${given.account}x`)], [2, []])

      await given.clock.advance(HOUR_MS)
      const due_at = given.clock.now() - 1
      const left = {
        tenant: next,
        id: 'left',
        state: 'leaving',
        due_at,
        sha256: 'left',
        slot: 'left',
        holders: [],
      } as const
      await given.stores.contents.write({ kind: 'insert', document: left, events: [] })
      await given.clock.advance(HOUR_MS)
      await broken.sweep()
      assert.equal(lines.length, 4, lines.join(''))
      assert.deepEqual([(await given.blobs()).length, await given.stores.contents.get(next, 'left')], [2, undefined])

      await given.service.sweep()
      assert.deepEqual([await given.blobs(), await given.used()], [[], 0])
      await assertInStep(given.stores)
    })

    it('answers a second removal as the first, for a day', async () => {
      const { id } = await upload(given.service, given.caller, 'x', { filename: 'private.txt' })
      const gone = await given.service.client.deleteFile({ id }, given.caller)
      assert.deepEqual([gone.id, gone.deleted], [id, true])
      await given.clock.advance(23 * HOUR_MS)
      await given.service.sweep()
      assert.deepEqual(await given.service.client.deleteFile({ id }, given.caller), gone)
      assert.equal(await refusal(given.service.client.getFile({ id }, given.caller)), 'not_found')
      assert.ok(!JSON.stringify(await given.stores.files.get(`${given.account}/live`, id)).includes('private'))
      await given.clock.advance(2 * HOUR_MS)
      await given.service.sweep()
      assert.equal(await refusal(given.service.client.deleteFile({ id }, given.caller)), 'not_found')
    })

    it('lets nothing cross accounts or modes', async () => {
      const { id } = await upload(given.service, given.caller, 'mine')
      for (const other of [as(`${given.account}x`), as(given.account, 'test')]) {
        assert.equal(await refusal(given.service.client.getFile({ id }, other)), 'not_found')
        assert.equal(await refusal(given.service.client.deleteFile({ id }, other)), 'not_found')
        assert.equal(await refusal(download(given.service, other, id)), 'not_found')
        assert.deepEqual((await given.service.client.listFiles({}, other)).data, [])
      }
      assert.equal(await download(given.service, given.caller, id), 'mine')
    })

    it('lists page by page, in either order, only what is asked for', async () => {
      const ids: string[] = []
      for (let n = 0; n < 7; n++) {
        const purpose = n % 2 === 0 ? FilePurpose.MODEL : FilePurpose.INPUT
        ids.unshift((await upload(given.service, given.caller, `${n}`, { purpose })).id)
      }
      await given.clock.advance(3_000)
      await given.service.client.deleteFile({ id: ids[3] as string }, given.caller)
      const list = async (order: Order, purpose: FilePurpose | undefined) => {
        const seen: string[] = []
        let cursor: string | undefined
        do {
          const asked = { order, limit: 2, ...(purpose && { purpose }), ...(cursor !== undefined && { cursor }) }
          const page = await given.service.client.listFiles(asked, given.caller)
          seen.push(...page.data.map(file => file.id))
          cursor = page.nextCursor
          assert.equal(page.hasMore, cursor !== undefined)
        } while (cursor !== undefined)
        return seen
      }
      const newest = ids.filter((_, at) => at !== 3)
      assert.deepEqual(await list(Order.DESC, undefined), newest)
      assert.deepEqual(await list(Order.ASC, undefined), newest.toReversed())
      assert.deepEqual(
        await list(Order.DESC, FilePurpose.MODEL),
        ids.filter((_, at) => at % 2 === 0),
      )
      const { nextCursor: cursor = '' } = await given.service.client.listFiles({ limit: 1 }, given.caller)
      const foreign = given.service.client.listFiles({ limit: 1, cursor, purpose: FilePurpose.INPUT }, given.caller)
      assert.equal(await refusal(foreign), 'invalid_cursor')
    })
  })
}
