import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { toBinary } from '@bufbuild/protobuf'
import { timestampMs } from '@bufbuild/protobuf/wkt'
import { createClient } from '@connectrpc/connect'
import { problemOf } from '@millhand/api'
import { BatchTaskService, CheckTasksRequestSchema } from '@millhand/api/gen/millhand/batch/v1/batch_task_service_pb.ts'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { createDirectTransport, type Principal, serve } from '@millhand/rpc'
import { acceptLines, type SentLine } from './acceptance.ts'

const caller: Principal = {
  ...{ accountId: 'acct_1', mode: 'live', tenant: 'acct_1/live', keyId: 'key_1', scopes: new Set(['*']) },
  plans: { compute: 'starter', developer: 'free', workforce: 'starter' },
}

test('what is checked in one call fits in a message, whatever the lines are of', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-batch-'))
  t.after(() => rm(folder, { recursive: true }))
  const sizes: number[] = []
  const checked: number[] = []
  const transport = createDirectTransport()
  serve(router => {
    router.service(BatchTaskService, {
      async checkTasks(request) {
        sizes.push(toBinary(CheckTasksRequestSchema, request).length)
        checked.push(request.tasks.length)
        return {}
      },
      async holdInputs() {
        assert.fail('a model of the deployment is not held')
      },
    })
  }, transport)
  const client = createClient(BatchTaskService, transport)
  const zeros = `[${Array(260_000).fill(0).join()}]`
  const brief = `{"employee":"emma","task":"t","input":{"texts":${zeros}}}`
  const words = JSON.stringify({ type: 'inference', model: 'm', input: '語'.repeat(170_000) })
  const lines = [...Array(6).fill(brief), ...Array(20).fill(words), ...Array(1_200).fill('{"employee":"e","task":"t"}')]
  const accepted = await acceptLines(
    { blobs: await filesystemBlobs(join(folder, 'blobs')), tasks: { compute: client, workforce: client } },
    lines.map((text, n) => ({ text, place: `lines[${n + 1}]` })),
    {
      ...{
        caller,
        most: 50_000,
        param: 'tasks',
        batch: { id: 'batch_1', attempt: 'first', holdUntil: 0 },
        key: 'batches/1',
      },
      signal: new AbortController().signal,
      onBytes: () => {},
    },
  )
  assert.deepEqual([accepted.total, accepted.withEmployees], [lines.length, true])
  assert.equal(
    checked.reduce((sum, count) => sum + count),
    lines.length,
  )
  assert.ok(Math.max(...sizes) < 2 ** 22, `${Math.max(...sizes)} bytes`)
  assert.ok(Math.max(...checked) <= 500)
})

test('the files and models of the account that tasks name are held before they are looked for, each once', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-batch-'))
  t.after(() => rm(folder, { recursive: true }))
  const held: string[] = []
  const transport = createDirectTransport()
  serve(router => {
    router.service(BatchTaskService, {
      async holdInputs({ batchId, attempt, ids, until }) {
        assert.deepEqual([batchId, attempt, until && timestampMs(until)], ['batch_1', 'first', 5_000])
        assert.ok(ids.length <= 1_000)
        held.push(...ids)
        return {}
      },
      async checkTasks({ tasks }) {
        for (const { kind } of tasks)
          if (kind.case === 'task' && kind.value.model !== 'digits') assert.ok(held.includes(kind.value.model))
        return {}
      },
    })
  }, transport)
  const client = createClient(BatchTaskService, transport)
  const task = (model: string, more: object) => JSON.stringify({ type: 'custom', model, ...more })
  const lines = Array.from({ length: 1_200 }, (_, n) =>
    n % 2 === 0
      ? task('model_a', { input_file: `file_${n % 4}` })
      : task(n < 600 ? 'digits' : 'file_m', { input: '1' }),
  )
  // An employee's lines name up to 20 each: more together than one call holds.
  const attached = Array.from({ length: 1_400 }, (_, n) => `file_e${n}`)
  for (let at = 0; at < attached.length; at += 20)
    lines.push(JSON.stringify({ employee: 'e', task: 't', files: attached.slice(at, at + 20) }))
  await acceptLines(
    { blobs: await filesystemBlobs(join(folder, 'blobs')), tasks: { compute: client, workforce: client } },
    lines.map((text, n) => ({ text, place: `lines[${n + 1}]` })),
    {
      ...{
        caller,
        batch: { id: 'batch_1', attempt: 'first', holdUntil: 5_000 },
        most: 50_000,
        param: 'tasks',
        key: 'batches/1',
      },
      signal: new AbortController().signal,
      onBytes: () => {},
    },
  )
  assert.deepEqual(held.toSorted(), ['file_0', 'file_2', 'file_m', 'model_a', ...attached].sort())
})

/** Accepts lines, all of which compute would make but those of the model `gone`. */
async function accept(t: TestContext, lines: readonly SentLine[]) {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-batch-'))
  t.after(() => rm(folder, { recursive: true }))
  const transport = createDirectTransport()
  serve(router => {
    router.service(BatchTaskService, {
      async checkTasks({ tasks }) {
        const isGone = ({ kind }: (typeof tasks)[number]) => kind.case === 'task' && kind.value.model === 'gone'
        const fault = { param: 'model', code: 'not_found', message: 'There is no such `model`.' }
        return { faults: tasks.flatMap((task, index) => (isGone(task) ? [{ index, ...fault }] : [])) }
      },
    })
  }, transport)
  const client = createClient(BatchTaskService, transport)
  const blobs = await filesystemBlobs(join(folder, 'blobs'))
  const accepted = await acceptLines({ blobs, tasks: { compute: client, workforce: client } }, lines, {
    ...{
      caller,
      most: 50_000,
      param: 'tasks',
      batch: { id: 'batch_1', attempt: 'first', holdUntil: 0 },
      key: 'batches/1',
    },
    signal: new AbortController().signal,
    onBytes: () => {},
  })
  const kept = await blobs.get('batches/1')
  return { accepted, text: kept === undefined ? '' : await text(kept) }
}

test('a task that came in several lines of JSON is kept as one', async t => {
  const pretty = JSON.stringify({ type: 'inference', model: 'm', input: 'a\nb' }, undefined, 2)
  const { accepted, text } = await accept(
    t,
    [0, 1].map(n => ({ text: pretty, place: `tasks[${n}]` })),
  )
  const lines = text.split('\n').filter(Boolean)
  assert.deepEqual([accepted.total, lines.length], [2, 2])
  for (const line of lines) assert.deepEqual(JSON.parse(line), JSON.parse(pretty))
})

test('lines that name files and models are accepted by a compute of an earlier version, which holds none', async t => {
  const line = JSON.stringify({ type: 'custom', model: 'model_1', input: '1' })
  const { accepted } = await accept(t, [{ text: line, place: 'tasks[0]' }])
  assert.deepEqual([accepted.total, accepted.withInputs], [1, true])
})

test('every fault is named in the order of the lines, beside a line that is too long', async t => {
  const task = (model: string) => JSON.stringify({ type: 'inference', model, input: '1' })
  const lines = [task('m'), task('gone'), '{', task('gone')].map((text, n) => ({ text, place: `lines[${n + 1}]` }))
  const refused = accept(t, [...lines, { text: undefined, place: 'lines[5]', isTooLong: true }])
  const error = await refused.then(
    () => undefined,
    (error: unknown) => error,
  )
  assert.deepEqual(
    problemOf(error, '').errors?.map(({ param, code }) => [param, code]),
    [
      ['lines[2].model', 'not_found'],
      ['lines[3]', 'invalid_json'],
      ['lines[4].model', 'not_found'],
      ['lines[5]', 'too_long'],
    ],
  )
})
