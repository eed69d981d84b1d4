/** How many models an account may have, and the list of them. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { codeOf } from '@millhand/api'
import { FilePurpose } from '@millhand/api/gen/millhand/compute/v1/file_pb.ts'
import { callOf, createModel, givenFiles, removeModel, upload } from '../files/files.fixture.ts'
import { openSqliteFiles } from '../files/sqlite-files.fixture.ts'
import { packageOf } from './model-package.ts'

const MOST_MODELS = 1_000

describe('models of an account', () => {
  const given = givenFiles(openSqliteFiles)
  const tenant = () => `${given.account}/live`
  const uploadModel = (text: string) => upload(given.service, given.caller, text, { purpose: FilePurpose.MODEL })

  /** One of a file, and copies of its document. */
  async function haveModels(count: number): Promise<void> {
    const { models } = given.stores
    const id = await createModel(given.service, given.caller, (await uploadModel('a model')).id)
    const first = await models.get(tenant(), id)
    assert.ok(first?.fate === 'stays')
    const { version: _, ...document } = first
    await Promise.all(
      Array.from({ length: count - 1 }, (_, at) => {
        const copy = { ...document, id: `${id}-${at}`, operation: `copy ${at}` }
        return models.write({ kind: 'insert', document: copy, events: [] })
      }),
    )
  }

  test('of requests at once for the last place one gets it, or none', async () => {
    await haveModels(MOST_MODELS - 1)
    const files = await Promise.all(['a', 'b', 'c', 'd'].map(uploadModel))
    const ask = () => Promise.allSettled(files.map(({ id }) => createModel(given.service, given.caller, id)))
    const refused = (await ask()).filter(one => one.status === 'rejected').map(({ reason }) => codeOf(reason))
    assert.ok(refused.length >= files.length - 1, `${refused.length} were refused`)
    assert.deepEqual([...new Set(refused)], ['invalid_state'])
    await ask()
    assert.equal(await given.stores.models.count('by_fate', { equals: [tenant(), 'stays'] }, 10_000), MOST_MODELS)
  })

  test('there is room for one more, or the request that needs it is refused', async () => {
    await haveModels(MOST_MODELS - 1)
    await given.service.models.requireRoom(tenant())
    await createModel(given.service, given.caller, (await uploadModel('another model')).id)
    await assert.rejects(given.service.models.requireRoom(tenant()), error => codeOf(error) === 'invalid_state')
  })

  test('its version differs where its processing does', async () => {
    const { id: file } = await uploadModel('a model')
    const versionOf = async (fields: object) => {
      const made = { name: 'a model', labels: [], metrics: {}, ...fields }
      return packageOf(await given.service.models.create(made, file, callOf(given.caller))).version
    }
    const plain = await versionOf({})
    assert.match(plain, /^sha256:[0-9a-f]{64}$/)
    assert.equal(await versionOf({}), plain)
    assert.notEqual(await versionOf({ labels: ['cat', 'dog'] }), plain)
  })

  test('the list passes over deleted models without reading them', async () => {
    const file = (await uploadModel('a model')).id
    const ids: string[] = []
    for (let made = 0; made < 8; made++) ids.push(await createModel(given.service, given.caller, file))
    const [first, ...between] = ids as [string, ...string[]]
    const last = between.pop() ?? ''
    for (const id of between) await removeModel(given.service, given.caller, id)
    const listed = async (query: object) =>
      (await given.service.models.list(tenant(), { limit: 2, ...query })).map(({ id }) => id)
    assert.deepEqual(await listed({ order: 'asc' }), [first, last])
    assert.deepEqual(await listed({ order: 'desc' }), [last, first])
    assert.deepEqual(await listed({ order: 'asc', after: [first] }), [last])
    assert.deepEqual(await listed({ order: 'desc', before: [last] }), [first])
    assert.deepEqual(await listed({ order: 'asc', before: [last] }), [first])
  })
})
