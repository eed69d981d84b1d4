/** Calls that make tasks of a batch and reach compute after the batch was cancelled. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Wire } from '@millhand/test-e2e/http'
import { temporaryFolder } from '@millhand/test-e2e/server'
import { javaMissing } from '@millhand/test-servers'
import { retryingRequests } from './retrying-requests.ts'
import { startSystem } from './system.ts'

const root = resolve(import.meta.dirname, '../../..')
const members = ['gateway-1', 'identity', 'compute-1', 'executor-1', 'batch'] as const
/** More than wait at once: as long as tasks end, the owner of the batch makes others. */
const TASKS = 3_000
const TASK_MS = 20

test('late calls make no task that runs: the batch ends as cancelled, with each of its tasks once', {
  skip: javaMissing,
  timeout: 1_800_000,
}, async t => {
  const folder = temporaryFolder('millhand-late-batch-')
  await using system = await startSystem({ root, folder, members })
  const request = retryingRequests(system)
  const link = system.links.get('batch>compute-1')
  const batchLog = () => readFileSync(system.members.get('batch')?.logFile as string, 'utf8')
  const iterations = { dtype: 'int64', shape: [1], data: [TASK_MS * 600] }
  const line = JSON.stringify({ type: 'inference', model: 'spin', input: JSON.stringify({ iterations }) })
  const raw = Buffer.from(`${line}\n`.repeat(TASKS))
  const file = await request('POST', '/v1/files', { raw, headers: { 'content-type': 'application/jsonl' } })
  assert.equal(file.status, 201, file.text)
  const created = await request('POST', '/v1/batches', { json: { input_file: file.body.id } })
  assert.equal(created.status, 201, created.text)
  const path = `/v1/batches/${created.body.id}`
  const batchOnce = async (isSo: (batch: Wire) => boolean): Promise<Wire> => {
    for (;;) {
      const { body } = await request('GET', path)
      if (isSo(body)) return body
      await pause(100)
    }
  }

  const { counts } = await batchOnce(batch => batch.counts.succeeded > 0)
  link?.hold()
  // The owner's call is held by the link, and has timed out at the owner.
  while (!batchLog().includes('batch.failed')) await pause(100)
  assert.equal((await request('DELETE', path)).status, 200)
  link?.heal()
  const batch = await batchOnce(({ finished_at }) => finished_at !== undefined)
  t.diagnostic(`succeeded when held: ${counts.succeeded}; at the end: ${JSON.stringify(batch.counts)}`)
  assert.equal(batch.status, 'cancelled')
  assert.ok(batch.counts.cancelled > 0)
  assert.equal(batch.counts.succeeded + batch.counts.cancelled, TASKS)

  for (const status of ['queued', 'running', 'cancelling'])
    assert.deepEqual((await request('GET', `/v1/tasks?batch_id=${batch.id}&status=${status}`)).body.data, [], status)
  const linesOf = async (id: string | undefined) =>
    (await request('GET', `/v1/files/${id}/content`)).text
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line))
  const [done, rest] = [await linesOf(batch.output_file), await linesOf(batch.error_file)]
  assert.equal(done.length, batch.counts.succeeded)
  const indexes = [...done, ...rest].map(({ index }) => index)
  assert.deepEqual(
    indexes.toSorted((a, b) => a - b),
    [...Array(TASKS).keys()],
  )
  for (const { error } of rest) assert.equal(error.code, 'batch_cancelled')
})
