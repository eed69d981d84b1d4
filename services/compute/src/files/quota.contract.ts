/** What the quota of an account promises, on whatever stores. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { codeOf, metadataOf } from '@millhand/api'
import {
  assertInStep,
  data,
  described,
  givenFiles,
  type Opened,
  openService,
  type Part,
  refusal,
  type Service,
  stream,
  upload,
} from './files.fixture.ts'

export function describeQuota(name: string, open: () => Promise<Opened>): void {
  describe(`the quota of files on ${name}`, () => {
    const given = givenFiles(open)

    it('gives an account its quota and not a byte more, whoever is first', async () => {
      const replicas = [1, 2].map(() => openService(given.stores, given.clock, { quotaBytes: 100 }))
      const results = await Promise.allSettled(
        Array.from({ length: 50 }, (_, n) =>
          upload(replicas[n % 2] as Service, given.caller, `${n}`.padStart(7 + (n % 2), '-')),
        ),
      )
      const accepted = results.filter(({ status }) => status === 'fulfilled').length
      assert.ok(accepted >= 12 && accepted <= 14, `${accepted} files`)
      const used = await given.used()
      assert.ok(used > 100 - 8 && used <= 100, `${used} bytes`)
      await assertInStep(given.stores)

      const [full] = replicas as [Service]
      while ((await given.used()) < 100)
        await upload(full, given.caller, '+'.repeat(Math.min(7, 100 - (await given.used()))))
      const untouched = (async function* (): AsyncGenerator<Part> {
        yield described()
        assert.fail('the upload was read')
      })()
      const refused = full.client.uploadFile(untouched, given.caller)
      const error = await refused.catch((error: unknown) => error)
      assert.deepEqual(metadataOf(error), { used: '100', quota: '100', size: '1' })
      assert.equal(await refusal(refused), 'storage_quota_exceeded')
    })

    it('takes no more at once than there is room for, however little has come to its end', async () => {
      const service = openService(given.stores, given.clock, { quotaBytes: 10_000 })
      const gate = Promise.withResolvers<void>()
      let [stay, refused] = [0, 0]
      const openGate = () => {
        if (stay + refused === 40) gate.resolve()
      }
      async function* slow(): AsyncGenerator<Part> {
        yield described()
        yield data('x'.repeat(1_000))
        stay++
        openGate()
        await gate.promise
      }
      const results = await Promise.all(
        Array.from({ length: 40 }, () =>
          service.client.uploadFile(slow(), given.caller).catch(error => {
            refused++
            openGate()
            return codeOf(error)
          }),
        ),
      )
      assert.deepEqual([stay, refused, await given.used()], [10, 30, 10_000])
      assert.equal(results.filter(result => result === 'storage_quota_exceeded').length, 30)
      await assertInStep(given.stores)
    })

    it('counts what comes and what is there once, and sees the room that another replica made', async () => {
      const [here, there] = [1, 2].map(() => openService(given.stores, given.clock, { quotaBytes: 1_000 })) as [
        Service,
        Service,
      ]
      const gate = Promise.withResolvers<void>()
      const isUnderWay = Promise.withResolvers<void>()
      async function* slow(): AsyncGenerator<Part> {
        yield described()
        yield data('s'.repeat(300))
        isUnderWay.resolve()
        await gate.promise
        yield data('s'.repeat(100))
      }
      const slowly = here.client.uploadFile(slow(), given.caller)
      await isUnderWay.promise
      const first = await upload(here, given.caller, 'a'.repeat(600))
      const error = await upload(here, given.caller, 'b'.repeat(101)).catch((error: unknown) => error)
      assert.equal(codeOf(error), 'storage_quota_exceeded')
      assert.deepEqual(metadataOf(error), { used: '600', quota: '1000', size: '101' })
      await there.client.deleteFile({ id: first.id }, given.caller)
      await upload(here, given.caller, 'b'.repeat(600))
      gate.resolve()
      assert.equal((await slowly).bytes, 400)
      assert.equal(await given.used(), 1_000)
      await assertInStep(given.stores)
    })

    it('has room while one upload is made a file and another that was refused is tidied up', async () => {
      const event = () => Promise.withResolvers<void>()
      const [tidying, tidied, making, makingBoth, made] = [event(), event(), event(), event(), event()]
      let writes = 0
      const { stores } = given
      const service = openService(
        {
          ...stores,
          files: {
            ...stores.files,
            async write(change) {
              const before = writes++ === 0 ? making : makingBoth
              before.resolve()
              await made.promise
              return await stores.files.write(change)
            },
          },
          blobs: {
            ...stores.blobs,
            async delete(key) {
              tidying.resolve()
              await tidied.promise
              await stores.blobs.delete(key)
            },
          },
        },
        given.clock,
        { quotaBytes: 1_000 },
      )
      const first = upload(service, given.caller, 'a'.repeat(600))
      await making.promise
      const parts = stream(described(), data('b'.repeat(300)), data('b'.repeat(200)))
      const refused = refusal(service.client.uploadFile(parts, given.caller))
      await Promise.race([tidying.promise, refused])
      const last = upload(service, given.caller, 'c'.repeat(400))
      await Promise.race([makingBoth.promise, last])
      made.resolve()
      tidied.resolve()
      assert.deepEqual([(await first).bytes, await refused, (await last).bytes], [600, 'storage_quota_exceeded', 400])
      await assertInStep(given.stores)
    })
  })
}
