/**
 * Tasks whose owner, executor and readers are several processes: what they cost the database in writes, and that training
 * makes the same model as in a single process.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { repository, type Server, startServer } from '@millhand/test-e2e/server'
import { run } from '@millhand/test-e2e/tasks'
import { examplesOf } from '@millhand/test-e2e/training'
import { javaMissing, type Kafka, type Mongo, startKafka, startMongo } from '@millhand/test-servers'
import { type CommandProxy, proxyCommands } from './proxy-commands.ts'
import { type TaskWrites, taskWrites } from './task-writes.ts'

const TASKS = 20
/** What has taken longer than this may have rested for 250 ms, after which it is written without its claim. */
const LATE_MS = 200

describe('a task of several processes', { skip: javaMissing }, () => {
  let [kafka, mongo, proxy, server]: [Kafka?, Mongo?, CommandProxy?, Server?] = []
  let writes: TaskWrites
  let input: string

  before(async () => {
    ;[kafka, mongo] = await Promise.all([startKafka(), startMongo()])
    writes = taskWrites()
    proxy = await proxyCommands(mongo.address, writes.hear)
    const entry = fileURLToPath(new URL('start-distributed.ts', import.meta.url))
    server = await startServer({
      command: [process.execPath, '--disable-warning=ExperimentalWarning', entry],
      env: { TEST_KAFKA: kafka.address, TEST_MONGO_OF_SERVICES: proxy.address },
    })
    const { body: model } = await server.request('GET', '/v1/models/digits')
    input = JSON.stringify(JSON.parse(model.example_input).flat())
    await create({ prefer: 'wait=30' })
  })
  after(async () => {
    for (const started of [server, proxy, mongo, kafka]) await started?.[Symbol.asyncDispose]()
  })

  const create = async (headers: Record<string, string> = {}) => {
    const json = { type: 'inference', model: 'digits', input }
    const answer = await server?.request('POST', '/v1/tasks', { json, headers })
    assert.equal(answer?.status, 201)
    return answer.body
  }

  it('that is waited for is written twice: with its claim, which no executor may outlive, and with its end', async () => {
    writes.forget()
    let late = 0
    for (let task = 0; task < TASKS; task++) {
      const { created_at, finished_at, status } = await create({ prefer: 'wait=30' })
      assert.equal(status, 'succeeded')
      if (Date.parse(finished_at) - Date.parse(created_at) >= LATE_MS) late += 1
    }
    assert.equal(writes.inserts, TASKS)
    assert.ok(writes.updates >= TASKS && writes.updates <= TASKS + late, `${writes.updates} updates, ${late} late`)
  })

  it('that nobody waits for is written three times', async () => {
    writes.forget()
    for (let task = 0; task < TASKS; task++) {
      const { id } = await create()
      while ((await server?.request('GET', `/v1/tasks/${id}`))?.body.status !== 'succeeded') await pause(10)
    }
    assert.deepEqual([writes.inserts, writes.updates], [TASKS, 2 * TASKS])
    // A sweep may read one that is being written.
    assert.ok(writes.outboxReads < TASKS / 2, `${writes.outboxReads} reads of outboxes`)
  })

  it('that trains makes the same bytes as in a single process', { timeout: 600_000 }, async () => {
    await using single = await startServer()
    const examples = examplesOf(readFileSync(join(repository, 'test/fixtures/digits/all.txt'), 'utf8'))
    const json = { type: 'training', model: 'digits', input: examples(400), parameters: { epochs: 5, seed: 7 } }
    const digestBy = async (shape: Server) => {
      const { output, error } = await run(shape, json)
      assert.match(output?.digest, /^sha256:/, JSON.stringify(error))
      return output.digest
    }
    assert.equal(await digestBy(server as Server), await digestBy(single))
  })
})
