/** Files and models that a batch may still need, where no task of it uses them yet. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FilePurpose } from '@millhand/api/gen/millhand/compute/v1/file_pb.ts'
import { manualClock } from '@millhand/process'
import { createLog } from '@millhand/telemetry'
import { createBatchHolds } from './batch-holds.ts'
import { createModel, givenFiles, removeModel, upload } from './files.fixture.ts'
import { openSqliteFiles } from './sqlite-files.fixture.ts'

const HOUR_MS = 3_600_000

describe('files and models that a batch needs', () => {
  const given = givenFiles(openSqliteFiles)
  const tenant = () => `${given.account}/live`
  const START = Date.UTC(2026, 10, 26)
  const clock = manualClock(START)
  const holds = () =>
    createBatchHolds({ collection: given.stores.batchHolds, clock, log: createLog({ level: 'error' }) })
  const uploaded = async (purpose = FilePurpose.MODEL) =>
    (await upload(given.service, given.caller, 'a model', { purpose })).id
  const needed = (batch: string) => (error: unknown) => String(error).includes(`needed by the batch \`${batch}\``)

  test('are not removed until the last batch that needs them has ended', async () => {
    const file = await uploaded()
    const model = await createModel(given.service, given.caller, file)
    const until = Date.now() + HOUR_MS
    await holds().hold(tenant(), 'batch_a', [file, model], until)
    await holds().hold(tenant(), 'batch_a', [file], until)
    await holds().hold(tenant(), 'batch_b', [file], until)
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

  test('are those of its account alone', async () => {
    await holds().hold('acct_other/live', 'batch_a', ['file_1'], Date.now() + HOUR_MS)
    assert.equal(await holds().useOf(tenant(), 'file_1'), undefined)
  })

  test('are not kept beyond the time that the batch had, and nothing is left of that', async () => {
    await holds().hold(tenant(), 'batch_a', ['file_1', 'file_2'], START + HOUR_MS)
    await holds().hold(tenant(), 'batch_b', ['file_2'], START + 3 * HOUR_MS)
    assert.deepEqual(await holds().useOf(tenant(), 'file_1'), { batch: 'batch_a' })
    await clock.advance(2 * HOUR_MS)
    assert.equal(await holds().useOf(tenant(), 'file_1'), undefined)
    assert.deepEqual(await holds().useOf(tenant(), 'file_2'), { batch: 'batch_b' })
    await holds().sweep(new AbortController().signal)
    assert.equal(await given.stores.batchHolds.count('batch', { equals: [tenant(), 'batch_a'] }, 10), 0)
    assert.equal(await given.stores.batchHolds.count('batch', { equals: [tenant(), 'batch_b'] }, 10), 1)
  })
})
