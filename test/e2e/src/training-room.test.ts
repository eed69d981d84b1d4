/** Training for an account whose files leave no room for a model. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { upload } from './files.ts'
import { type Server, startServer } from './server.ts'
import { assertProblem, create, ended, reaches, run } from './tasks.ts'

let server: Server
before(async () => {
  server = await startServer({ env: { MILLHAND_STORAGE_QUOTA_MB: '1' } })
})
after(() => server[Symbol.asyncDispose]())

const QUOTA = 2 ** 20
/** With the file of `digits`, of 38 KiB, more than the quota. */
const ALMOST_ALL = QUOTA - 20_000

const line = (label: number) => JSON.stringify({ input: Array(64).fill(label), label })
const json = {
  type: 'training',
  model: 'digits',
  input: [0, 1, 0, 1, 0, 1].map(line).join('\n'),
  parameters: { epochs: 1, batch_size: 2 },
}

test('a training is refused when it is created, and trains once there is room', { timeout: 300_000 }, async () => {
  const { id } = await upload(server, 'x'.repeat(ALMOST_ALL), 'purpose=dataset')
  const refused = await server.request('POST', '/v1/tasks', { json })
  assertProblem(refused, 403, 'storage_quota_exceeded')
  const inference = { type: 'inference', model: 'digits', input: JSON.stringify(Array(64).fill(1)) }
  assert.equal((await run(server, inference)).status, 'succeeded')
  assert.equal((await server.request('DELETE', `/v1/files/${id}`)).status, 200)
  const task = await run(server, json)
  assert.equal(task.status, 'succeeded', JSON.stringify(task.error))
  assert.equal((await server.request('DELETE', `/v1/models/${task.output.model}`)).status, 200)
})

test('a failed and a cancelled training use no storage', { timeout: 300_000 }, async () => {
  const list = async () => (await server.request('GET', '/v1/files?limit=100')).body.data
  const others = await list()
  const failed = await run(server, { ...json, input: `${json.input}\n{"input":[1],"label":0}` })
  assert.deepEqual([failed.status, failed.error?.code], ['failed', 'model_input_invalid'])
  const long = { ...json, parameters: { epochs: 1000, batch_size: 1, on_cancel: 'discard' } }
  const { id } = await create(server, { ...long, input: Array(200).fill(json.input).join('\n') })
  await reaches(server, id, 'running')
  assert.equal((await server.request('DELETE', `/v1/tasks/${id}`)).status, 200)
  assert.equal((await ended(server, id)).status, 'cancelled')
  assert.deepEqual(await list(), others)
  const used = others.reduce((sum: number, { bytes }: { bytes: number }) => sum + bytes, 0)
  await upload(server, 'x'.repeat(QUOTA - used), 'purpose=dataset')
  const headers = { 'content-type': 'text/plain' }
  assertProblem(await server.request('POST', '/v1/files', { raw: 'x', headers }), 403, 'storage_quota_exceeded')
})
