/** gRPC, gRPC-Web and Connect at REST's address, by the tools that people point at such servers. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { goMissing, goTool, python, pythonMissing } from '@millhand/test-servers'
import { blocks } from './documents.ts'
import { inherited, repository, temporaryFolder } from './server.ts'
import { type Visited, visitServer } from './visited-server.ts'

const run = promisify(execFile)
const proto = join(repository, 'proto')
const SERVICE = 'millhand.compute.v1.ComputeService'
const task = JSON.stringify({ type: 'TASK_TYPE_INFERENCE', model: 'digits', input: 'sandbox:slow:10' })

let server: Visited
before(async () => {
  server = await visitServer()
})
after(() => server.leave())
const target = () => new URL(server.url).host
const header = () => `authorization: Bearer ${server.testKey}`

describe('grpcurl', { skip: goMissing }, () => {
  let path: string
  before(
    async () => {
      path = await goTool('github.com/fullstorydev/grpcurl/cmd/grpcurl', 'v1.9.4')
    },
    { timeout: 1_800_000 },
  )
  const ask = async (...words: string[]) => (await run(path, ['-plaintext', '-max-time', '60', ...words])).stdout

  test('lists the public services alone, without a key', async () => {
    const listed = (await ask(target(), 'list')).trim().split('\n')
    assert.ok(listed.includes(SERVICE))
    assert.ok(listed.includes('grpc.health.v1.Health'))
    const others = listed.filter(name => /Lease|Identity|Tunnel|Executor|Idempotency|Ledger|Status/.test(name))
    assert.deepEqual(others, [])
  })

  test('asks for health, without a key', async () => {
    const answer = JSON.parse(
      await ask('-d', JSON.stringify({ service: SERVICE }), target(), 'grpc.health.v1.Health/Check'),
    )
    assert.deepEqual(answer, { status: 'SERVING' })
  })

  test('creates a task and streams its events', async () => {
    const made = JSON.parse(await ask('-H', header(), '-d', task, target(), `${SERVICE}/CreateTask`))
    const events = await ask('-H', header(), '-d', JSON.stringify({ id: made.id }), target(), `${SERVICE}/WatchTask`)
    assert.match(events, /"task\.queued"[\s\S]*"task\.succeeded"/)
  })

  test('shows the code and the fields of an error', async () => {
    const words = ['-H', header(), '-d', '{}', target(), `${SERVICE}/CreateTask`]
    const error = await failure(run(path, ['-plaintext', '-max-time', '60', ...words]))
    assert.match(error, /Code: InvalidArgument/)
    assert.match(error, /"reason": "missing_parameter"/)
    assert.match(error, /"field": "model"/)
  })
})

describe('buf curl', () => {
  const ask = async (method: string, ...words: string[]) => {
    const all = ['curl', ...words, `${server.url}/${SERVICE}/${method}`]
    return (await run(join(proto, 'node_modules/.bin/buf'), all, { cwd: proto })).stdout
  }

  for (const [protocol, ...words] of [
    ['grpc', '--http2-prior-knowledge'],
    ['grpcweb', '--http2-prior-knowledge'],
    ['connect', '--http2-prior-knowledge'],
    ['grpcweb', '--schema', '.'],
    ['connect', '--schema', '.'],
  ] as const) {
    test(`creates a task and streams its events by ${protocol} (${words[0]})`, async () => {
      const common = ['--protocol', protocol, ...words, '--header', header()]
      const made = JSON.parse(await ask('CreateTask', ...common, '--data', task))
      const events = await ask('WatchTask', ...common, '--data', JSON.stringify({ id: made.id }))
      assert.match(events, /"task\.queued"[\s\S]*"task\.succeeded"/)
    })

    test(`is refused by ${protocol} without a key (${words[0]})`, async () => {
      const error = await failure(ask('ListTasks', '--protocol', protocol, ...words, '--data', '{}'))
      assert.match(error, /"code": *"unauthenticated"/)
    })
  }
})

describe('grpcio', { skip: pythonMissing('grpc', 'grpc_reflection', 'google.rpc') }, () => {
  test('makes its calls, knowing the methods by reflection', async () => {
    const script = join(import.meta.dirname, 'grpc_client.py')
    const { stdout } = await run(python, [script, target(), server.testKey], { timeout: 300_000 })
    const seen = JSON.parse(stdout)
    assert.deepEqual(seen.ended, 'TASK_STATUS_SUCCEEDED')
    assert.deepEqual(seen.same, true)
    assert.deepEqual(seen.replayed, 'true')
    assert.deepEqual([seen.events.at(0), seen.events.at(-1)], ['task.queued', 'task.succeeded'])
    assert.deepEqual(seen.wrong, ['UNAUTHENTICATED', 'invalid_credentials'])
    assert.deepEqual(seen.faulty, ['INVALID_ARGUMENT', 'missing_parameter'])
    assert.ok(seen.fields.includes('model'))
    assert.equal(seen.late, 'DEADLINE_EXCEEDED')
    assert.equal(seen.health, 'SERVING')
  })
})

describe('the examples of docs/grpc.md', () => {
  const env = () => ({ ...inherited(), MILLHAND_KEY: server.key, MILLHAND_GRPC: target(), MILLHAND_PROTO: proto })
  const example = (language: string) =>
    blocks(readFileSync(join(repository, 'docs/grpc.md'), 'utf8')).find(block => block.language === language)?.code ??
    ''

  test('in TypeScript creates a task and follows it to its end', async () => {
    const folder = temporaryFolder('millhand-grpc-')
    symlinkSync(join(repository, 'test/e2e/node_modules'), join(folder, 'node_modules'))
    writeFileSync(join(folder, 'example.ts'), example('ts'))
    const words = ['--disable-warning=ExperimentalWarning', join(folder, 'example.ts')]
    const { stdout } = await run(process.execPath, words, { env: env(), timeout: 300_000 })
    const seen = stdout.trim().split('\n')
    assert.deepEqual([seen.at(0), seen.at(-1)], ['task.queued', 'task.succeeded'])
  })

  test('in Python creates a task and waits for its end', {
    skip: pythonMissing('grpc', 'grpc_reflection'),
  }, async () => {
    const { stdout } = await run(python, ['-c', example('python')], { env: env(), timeout: 300_000 })
    assert.match(stdout, /^True /)
  })
})

/** What a command that fails says. */
async function failure(work: Promise<unknown>): Promise<string> {
  const { stdout, stderr } = await work.then(
    () => assert.fail('it was answered'),
    (error: { stdout: string; stderr: string }) => error,
  )
  return stdout + stderr
}
