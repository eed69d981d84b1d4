/** Files and models that a batch may still need, where no task of it uses them yet. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FilePurpose } from '@millhand/api/gen/millhand/compute/v1/file_pb.ts'
import { manualClock } from '@millhand/process'
import { createLog } from '@millhand/telemetry'
import { createBatchHolds } from './batch-holds.ts'
import { createModel, givenFiles, openService, removeModel, upload } from './files.fixture.ts'
import { openSqliteFiles } from './sqlite-files.fixture.ts'

const HOUR_MS = 3_600_000

describe('files and models that a batch needs', () => {
  const given = givenFiles(openSqliteFiles)
  const tenant = () => `${given.account}/live`
  const START = Date.UTC(2026, 10, 26)
  const clock = manualClock(START)
  const holds = () => {
    const { batchHolds: collection, files, models } = given.stores
    return createBatchHolds({ collection, files, models, clock, log: createLog({ level: 'error' }) })
  }
  const first = (batch: string) => ({ tenant: tenant(), batch, attempt: 'first' })
  const uploaded = async (purpose = FilePurpose.MODEL) =>
    (await upload(given.service, given.caller, 'a model', { purpose })).id
  const needed = (batch: string) => (error: unknown) => String(error).includes(`needed by the batch \`${batch}\``)
  const countOf = (batch: string) => given.stores.batchHolds.count('batch', { equals: [tenant(), batch] }, 1_000)

  test('are not removed until the last batch that needs them has ended', async () => {
    const file = await uploaded()
    const model = await createModel(given.service, given.caller, file)
    const until = Date.now() + HOUR_MS
    await holds().hold(first('batch_a'), [file, model], until)
    await holds().hold(first('batch_a'), [file], until)
    await holds().hold(first('batch_b'), [file], until)
    const deleteFile = () => given.service.client.deleteFile({ id: file }, given.caller)
    await assert.rejects(deleteFile(), needed('batch_a'))
    await assert.rejects(removeModel(given.service, given.caller, model), needed('batch_a'))
    await holds().release(tenant(), 'batch_a')
    await holds().release(tenant(), 'batch_a')
    assert.equal(await removeModel(given.service, given.caller, model), true)
    await assert.rejects(deleteFile(), needed('batch_b'))
    await holds().release(tenant(), 'batch_b')
    await deleteFile()
  })

  test('are not removed where the batch comes while they are being removed', async () => {
    const file = await uploaded()
    const model = await createModel(given.service, given.caller, file)
    const until = Date.now() + HOUR_MS
    /** A removal asks it after it has looked for batches, and before it writes. */
    const usedBy = async (_: string, input: string) => {
      await holds().hold(first('batch_late'), [input], until)
      return undefined
    }
    const service = openService(given.stores, given.clock, { usedBy })
    await assert.rejects(service.client.deleteFile({ id: file }, given.caller), needed('batch_late'))
    await assert.rejects(removeModel(service, given.caller, model), needed('batch_late'))
    assert.equal((await given.service.client.getFile({ id: file }, given.caller)).id, file)
    await holds().release(tenant(), 'batch_late')
    assert.equal(await removeModel(given.service, given.caller, model), true)
    await given.service.client.deleteFile({ id: file }, given.caller)
    await holds().hold(first('batch_late'), [file, model], until)
    await assert.rejects(given.service.client.getFile({ id: file }, given.caller))
  })

  test('are those of its account alone', async () => {
    await holds().hold({ ...first('batch_a'), tenant: 'acct_other/live' }, ['file_1'], Date.now() + HOUR_MS)
    assert.equal(await holds().useOf(tenant(), 'file_1'), undefined)
  })

  test('of a create that was cut go without those of its retry', async () => {
    const retry = { ...first('batch_a'), attempt: 'retry' }
    const until = START + 10 * HOUR_MS
    await holds().hold(first('batch_a'), ['file_1', 'file_2'], until)
    await holds().hold(retry, ['file_1'], until)
    await holds().release(tenant(), 'batch_a', 'first')
    assert.deepEqual(await holds().useOf(tenant(), 'file_1'), { batch: 'batch_a' })
    assert.equal(await holds().useOf(tenant(), 'file_2'), undefined)
    await holds().keep(retry, until)
    await holds().release(tenant(), 'batch_a')
    assert.equal(await countOf('batch_a'), 0)
  })

  test('are held for an attempt, and for the window of the batch only where it was made', async () => {
    const inputs = Array.from({ length: 250 }, (_, n) => `file_${n}`)
    const start = clock.now()
    for (const batch of ['batch_cut', 'batch_made']) await holds().hold(first(batch), inputs, start + HOUR_MS)
    await holds().keep(first('batch_made'), start + 5 * HOUR_MS)
    await holds().hold(first('batch_cut'), ['file_cut'], start + HOUR_MS)
    const sweep = () => holds().sweep(new AbortController().signal)
    assert.deepEqual(await holds().useOf(tenant(), 'file_cut'), { batch: 'batch_cut' })
    await clock.advance(2 * HOUR_MS)
    assert.equal(await holds().useOf(tenant(), 'file_cut'), undefined)
    assert.deepEqual(await holds().useOf(tenant(), 'file_249'), { batch: 'batch_made' })
    await sweep()
    assert.deepEqual([await countOf('batch_cut'), await countOf('batch_made')], [0, 251])
    assert.deepEqual(await holds().useOf(tenant(), 'file_0'), { batch: 'batch_made' })
    await clock.advance(4 * HOUR_MS)
    assert.equal(await holds().useOf(tenant(), 'file_0'), undefined)
    await sweep()
    assert.equal(await countOf('batch_made'), 0)
  })
})
