/** That a process may die, or stand still for a day, before and after each step of what it does to files. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { CallOptions } from '@connectrpc/connect'
import { FilePurpose } from '@millhand/api/gen/millhand/compute/v1/file_pb.ts'
import { type ManualClock, manualClock } from '@millhand/process'
import { principalKey } from '@millhand/rpc'
import type { Collection, Document } from '@millhand/store'
import {
  as,
  assertInStep,
  createModel,
  download,
  inOperation,
  type Opened,
  openService,
  removeModel,
  type Service,
  type Stores,
  upload,
} from './files.fixture.ts'

const HOUR_MS = 3_600_000

/** Something that is done to an account's files, and what has to be so once it was answered. */
interface Scenario {
  readonly name: string
  prepare(service: Service, caller: CallOptions, clock: ManualClock, stores: Stores): Promise<string>
  run(service: Service, caller: CallOptions, prepared: string): Promise<string>
  check(service: Service, caller: CallOptions, prepared: string, answered: string): Promise<void>
}

const isThere = async (service: Service, caller: CallOptions, id: string) =>
  (await service.client.listFiles({}, caller)).data.some(file => file.id === id)

const nothing = async () => ''
const sweep = async (service: Service) => {
  await service.sweep()
  return ''
}
const remove = async ({ client }: Service, caller: CallOptions, id: string) =>
  (await client.deleteFile({ id }, caller)).id
const checkGone = async (service: Service, caller: CallOptions, id: string) =>
  assert.equal(await isThere(service, caller, id), false)
const twice = async (service: Service, caller: CallOptions) => {
  await upload(service, caller, 'content')
  return (await upload(service, caller, 'content')).id
}

const scenarios: readonly Scenario[] = [
  {
    name: 'an upload of new content',
    prepare: nothing,
    run: async (service, caller) => (await upload(service, caller, 'content')).id,
    check: async (service, caller, _, id) => assert.equal(await download(service, caller, id), 'content'),
  },
  {
    name: 'an upload of content that is there',
    prepare: async (service, caller) => (await upload(service, caller, 'content')).id,
    run: async (service, caller) => (await upload(service, caller, 'content')).id,
    check: async (service, caller, before, id) => {
      for (const each of [before, id]) assert.equal(await download(service, caller, each), 'content')
    },
  },
  {
    name: 'the removal of a file whose content another has',
    prepare: twice,
    run: remove,
    check: checkGone,
  },
  {
    name: 'the removal of the last file with its content',
    prepare: async (service, caller) => (await upload(service, caller, 'content')).id,
    run: remove,
    check: checkGone,
  },
  {
    name: 'a model of a file',
    prepare: async (service, caller) => (await upload(service, caller, 'content', ofModel)).id,
    run: createModel,
    check: async (service, caller, file, model) => {
      assert.equal(await modelContent(service, caller, model), 'content')
      await service.client.deleteFile({ id: file }, caller).catch(() => {}) // Days later it is not known any more.
      assert.equal(await modelContent(service, caller, model), 'content')
    },
  },
  {
    name: 'the removal of a model with the last of its content',
    prepare: async (service, caller) => {
      const { id } = await upload(service, caller, 'content', ofModel)
      const model = await createModel(service, caller, id)
      await service.client.deleteFile({ id }, caller)
      return model
    },
    run: async (service, caller, model) => String(await removeModel(service, caller, model)),
    check: async (service, caller, model) => assert.equal(await modelContent(service, caller, model), undefined),
  },
  {
    name: 'the sweep of an expired file',
    async prepare(service, caller, clock) {
      const { id } = await upload(service, caller, 'content', { expiresAfterS: 60 })
      await clock.advance(60_001)
      return id
    },
    run: sweep,
    check: checkGone,
  },
  {
    name: 'the sweep after an upload that died before its file was written',
    async prepare(_, caller, clock, stores) {
      const beforeFile = 8
      const dying = openService(around(stores, diesAt(beforeFile)), clock)
      await assert.rejects(upload(dying, caller, 'content'))
      await clock.advance(2 * HOUR_MS)
      return ''
    },
    run: sweep,
    check: async (service, caller) => assert.deepEqual((await service.client.listFiles({}, caller)).data, []),
  },
]

const ofModel = { purpose: FilePurpose.MODEL }

/** Undefined where there is no such model. */
async function modelContent(
  { models, holdings }: Service,
  caller: CallOptions,
  id: string,
): Promise<string | undefined> {
  const model = await models.get(tenantOf(caller), id)
  const content = model && (await holdings.read(model))
  return content && Buffer.concat(await content.toArray()).toString()
}

const tenantOf = ({ contextValues }: CallOptions) => String(contextValues?.get(principalKey)?.tenant)

export function describeSteps(name: string, open: () => Promise<Opened>): void {
  describe(`files on ${name}, step by step`, () => {
    let opened: Opened
    let stores: Stores
    let clock: ManualClock
    let accounts = 0
    before(async () => {
      opened = await open()
      stores = opened.stores
      clock = manualClock(Date.UTC(2026, 10, 21))
    })
    after(() => opened.close())

    /** Runs the scenario once, through stores that `meet` before and after every change, to its end or `meanwhile`. */
    async function attempt(scenario: Scenario, meet: Meet, meanwhile: Promise<unknown>) {
      const caller = as(`acct_${++accounts}`)
      const healthy = openService(stores, clock)
      const prepared = await scenario.prepare(healthy, caller, clock, stores)
      const watched = openService(around(stores, meet), clock, { write: () => {} })
      const running = scenario.run(watched, caller, prepared)
      await Promise.race([running.catch(() => {}), meanwhile])
      return { healthy, caller, prepared, running }
    }

    async function assertHealed(service: Service) {
      for (let day = 0; day < 3; day++) {
        await clock.advance(25 * HOUR_MS)
        await service.sweep()
      }
      await assertInStep(stores)
    }

    const operation = '01jd7x8f2wfyqs3m6k9v0t4b5c'
    const sent = (service: Service, caller: CallOptions) => upload(service, inOperation(caller, operation), 'content')
    const uploadOnce: Scenario = {
      name: 'an upload of an operation',
      prepare: nothing,
      run: async (service, caller) => (await sent(service, caller)).id,
      check: async (service, caller, _, id) => {
        const { data } = await service.client.listFiles({}, caller)
        assert.deepEqual(
          data.map(file => file.id),
          [id],
        )
      },
    }

    it('an upload that died at any moment is sent again, and leaves one file', async () => {
      let died = true
      for (let end = 0; died; end++) {
        died = false
        const dies = diesAt(end, () => {
          died = true
        })
        const { healthy, caller, running } = await attempt(uploadOnce, dies, new Promise(() => {}))
        await running.catch(() => {})
        const { id } = await sent(healthy, caller)
        await uploadOnce.check(healthy, caller, '', id)
        await assertHealed(healthy)
        await uploadOnce.check(healthy, caller, '', id)
      }
    })

    it('an upload that stood still at any moment while it was sent again leaves the same file', async () => {
      let stood = true
      for (let at = 0; stood; at++) {
        stood = false
        const standing = Promise.withResolvers<void>()
        const goOn = Promise.withResolvers<void>()
        const stands: Meet = async moment => {
          if (moment !== at) return
          stood = true
          standing.resolve()
          await goOn.promise
        }
        const { healthy, caller, running } = await attempt(uploadOnce, stands, standing.promise)
        const { id } = await sent(healthy, caller)
        goOn.resolve()
        assert.equal(await running, id)
        await uploadOnce.check(healthy, caller, '', id)
        await assertHealed(healthy)
        await uploadOnce.check(healthy, caller, '', id)
      }
      assert.ok(!stood)
    })

    for (const scenario of scenarios) {
      it(`${scenario.name} heals when the process dies at any moment`, async t => {
        let died = true
        let last = 0
        for (; died; last++) {
          const end = last
          died = false
          const dies = diesAt(end, () => {
            died = true
          })
          const { healthy, caller, prepared, running } = await attempt(scenario, dies, new Promise(() => {}))
          const answered = await running.catch(() => undefined)
          if (answered !== undefined) await scenario.check(healthy, caller, prepared, answered)
          await assertHealed(healthy)
          if (answered !== undefined) await scenario.check(healthy, caller, prepared, answered)
        }
        t.diagnostic(`${last} moments`)
        assert.ok(last > 8, `${last} moments`)
      })

      for (const hours of [2, 25]) {
        it(`${scenario.name} is never half done when the process stands still for ${hours} hours at any moment`, async () => {
          let stood = true
          for (let at = 0; stood; at++) {
            stood = false
            const standing = Promise.withResolvers<void>()
            const goOn = Promise.withResolvers<void>()
            const { healthy, caller, prepared, running } = await attempt(
              scenario,
              async moment => {
                if (moment !== at) return
                stood = true
                standing.resolve()
                await goOn.promise
              },
              standing.promise,
            )
            await clock.advance(hours * HOUR_MS)
            await healthy.sweep()
            goOn.resolve()
            const answered = await running.catch(() => undefined)
            if (answered !== undefined) await scenario.check(healthy, caller, prepared, answered)
            await assertHealed(healthy)
            if (answered !== undefined) await scenario.check(healthy, caller, prepared, answered)
          }
        })
      }
    }
  })
}

/** What happens at the moments before and after each change, counted from 0. */
type Meet = (moment: number) => Promise<void>

/** From that moment on nothing is changed any more. */
const diesAt =
  (moment: number, onDeath = () => {}): Meet =>
  async now => {
    if (now < moment) return
    onDeath()
    throw new Error('the process has died')
  }

/** The stores, with `meet` before and after every change. */
function around(stores: Stores, meet: Meet): Stores {
  let moment = 0
  const met = async <R>(change: () => Promise<R>): Promise<R> => {
    await meet(moment++)
    const result = await change()
    await meet(moment++)
    return result
  }
  const watched = <T extends Document, I extends string>(collection: Collection<T, I>): Collection<T, I> => ({
    get: (tenant, id) => collection.get(tenant, id),
    find: (index, query) => collection.find(index, query),
    count: (index, range, limit) => collection.count(index, range, limit),
    write: change => met(() => collection.write(change)),
  })
  const { blobs } = stores
  return {
    files: watched(stores.files),
    contents: watched(stores.contents),
    storage: watched(stores.storage),
    models: watched(stores.models),
    batchHolds: watched(stores.batchHolds),
    blobs: {
      get: (key, range) => blobs.get(key, range),
      list: prefix => blobs.list(prefix),
      put: (key, content, options) => met(() => blobs.put(key, content, options)),
      delete: key => met(() => blobs.delete(key)),
    },
  }
}
