/** Executors that start after an account registered its model: they run it, each from a copy that it reads itself. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import type { Wire } from '@millhand/test-e2e/http'
import { temporaryFolder } from '@millhand/test-e2e/server'
import { javaMissing } from '@millhand/test-servers'
import { retryingRequests } from './retrying-requests.ts'
import { startSystem } from './system.ts'

const root = resolve(import.meta.dirname, '../../..')
const members = ['gateway-1', 'identity', 'compute-1', 'executor-1', 'executor-2'] as const

test('an executor that starts after a model was registered runs it', {
  skip: javaMissing,
  timeout: 1_200_000,
}, async () => {
  const folder = temporaryFolder('millhand-late-executor-')
  await using system = await startSystem({ root, folder, members })
  const request = retryingRequests(system)
  const executor = (which: 1 | 2) => system.members.get(`executor-${which}`)
  const post = async (path: string, options: object): Promise<Wire> => {
    const answer = await request('POST', path, options)
    assert.ok([200, 201, 202].includes(answer.status), answer.text)
    return answer.body
  }
  const double = readFileSync(join(root, 'test/fixtures/models/double/model.onnx'))
  const create = (type: string, model: string) =>
    post('/v1/tasks', { json: { type, model, input: '{"x":{"dtype":"float32","shape":[1,2],"data":[1,2]}}' } })
  const assertRuns = async ({ id }: Wire) => {
    const ended = async (): Promise<Wire> => {
      const { body } = await request('GET', `/v1/tasks/${id}`, { headers: { prefer: 'wait=60' } })
      return ['queued', 'running'].includes(body.status) ? await ended() : body
    }
    const task = await ended()
    assert.equal(task.status, 'succeeded', JSON.stringify(task))
    assert.deepEqual(task.output.y.data, [2, 4])
  }

  await Promise.all([executor(1)?.stop(), executor(2)?.stop()])
  const file = (await post('/v1/files?purpose=model', { raw: double })).id
  const model = (await post('/v1/models', { json: { name: 'Double', file } })).id
  const waiting = [await create('inference', model), await create('custom', model), await create('custom', file)]
  for (const task of waiting) assert.equal(task.status, 'queued')

  await executor(1)?.start()
  for (const task of waiting) await assertRuns(task)
  // Killed, so that it leaves its copies behind: the next executor reads its own.
  await executor(1)?.kill()
  await executor(2)?.start()
  await assertRuns(await create('inference', model))
  await request('DELETE', `/v1/files/${file}`)
  await assertRuns(await create('custom', model))
})
