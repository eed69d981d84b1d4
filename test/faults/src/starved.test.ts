/** A machine that lacks what a model's process needs: the server lives, says why, and goes on when it is there again. */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import type { RequestOptions } from '@millhand/test-e2e/http'
import { connection } from '@millhand/test-e2e/raw-http'
import { type Server, startServer, temporaryFolder } from '@millhand/test-e2e/server'
import { create, digit, ended, ownModels, run, spin } from '@millhand/test-e2e/tasks'

test('without file descriptors it serves on, and runs what it took once there are some again', async () => {
  await using server = await startServer({ fileDescriptors: 64 })
  // One connection from the beginning to the end: without descriptors a new one is closed as soon as it comes.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = (method: string, path: string, more: RequestOptions = {}) =>
    server.request(method, path, { ...more, agent }).catch(cause => {
      throw new Error(`${method} ${path} was not answered: ${server.logs().stderr}`, { cause })
    })
  await ask('GET', '/v1/models')
  const idle = await Promise.all(Array.from({ length: 60 }, () => connection(server.url)))
  await Promise.race(idle.map(each => each.ended()))
  const created = await ask('POST', '/v1/tasks', { json: digit(4, { max_attempts: 10 }) })
  assert.equal(created.status, 201, created.text)
  const path = `/v1/tasks/${created.body.id}`
  const wait = { headers: { prefer: 'wait=1' } }
  let task = created.body
  while (notLoaded(server).length === 0) {
    assert.ok(!isOver(task), `the model had descriptors: ${JSON.stringify(task)}`)
    task = (await ask('GET', path, wait)).body
  }
  for (const each of idle) each.destroy()
  while (!isOver(task)) task = (await ask('GET', path, wait)).body
  agent.destroy()
  assert.equal(task.status, 'succeeded', JSON.stringify(task.error))
  assert.equal(task.output.digit, 4)
  assert.ok(task.attempt > 1)
  assert.equal((await server.stop()).code, 0)
})

test('without a folder for temporary files tasks fail with a reason, and the log has the cause', async () => {
  const TMPDIR = join(temporaryFolder('millhand-e2e-'), 'tmp')
  mkdirSync(TMPDIR)
  await using server = await startServer({ env: { TMPDIR } })
  rmSync(TMPDIR, { recursive: true })
  const { status, error } = await run(server, digit(1, { max_attempts: 1 }))
  assert.deepEqual([status, error.code], ['failed', 'attempts_exhausted'])
  assert.match(error.message, /No process could be started for the model/)
  const [line] = notLoaded(server)
  assert.deepEqual([line.model, line.reason, line.error.cause.code], ['digits', 'not_started', 'ENOENT'])
  mkdirSync(TMPDIR)
  assert.equal((await run(server, digit(1))).output.digit, 1)
})

test('a server that is killed leaves nothing in the folder for temporary files, once it has started again', async () => {
  const TMPDIR = temporaryFolder('millhand-e2e-')
  await using server = await startServer({ env: { TMPDIR, MILLHAND_MODELS_DIR: ownModels } })
  await Promise.all([run(server, digit(1)), run(server, spin(1))])
  const killed = server.pid
  const left = readdirSync(TMPDIR)
  assert.ok(left.length >= 2)
  assert.deepEqual(left.filter(isOf(killed)), left)
  await server.kill()
  await server.restart()
  const { id } = await create(server, digit(2))
  await ended(server, id)
  assert.notEqual(server.pid, killed)
  const now = readdirSync(TMPDIR)
  assert.ok(now.length >= 1)
  // There may be more than one: that of a process that looks for a GPU lasts as long as it looks.
  assert.deepEqual(now.filter(isOf(server.pid)), now)
})

/** Whether a folder is named for the process that made it. */
const isOf = (pid: number) => (folder: string) => folder.startsWith(`millhand-model-${pid}-`)

const isOver = ({ status }: { readonly status: string }) => ['succeeded', 'failed', 'expired'].includes(status)

/** The lines of the log about models that could not be loaded. */
const notLoaded = (server: Server) =>
  server
    .logs()
    .stderr.split('\n')
    .filter(line => line.includes('"model.not_loaded"'))
    .map(line => JSON.parse(line))
