/** A service's own gRPC port, called as an internal consumer by the tools that people point at such servers. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { fromBinary } from '@bufbuild/protobuf'
import { ErrorInfoSchema } from '@millhand/api/gen/google/rpc/error_details_pb.ts'
import { goMissing, goTool, python, pythonMissing } from '@millhand/test-servers'
import { blocks } from './documents.ts'
import { newAccount, operate } from './operator.ts'
import { inherited, repository, temporaryFolder } from './server.ts'
import { type Visited, visitServer } from './visited-server.ts'

const run = promisify(execFile)
const proto = join(repository, 'proto')
const SERVICE = 'millhand.compute.v1.ComputeService'
const task = JSON.stringify({ type: 'TASK_TYPE_INFERENCE', model: 'digits', input: 'sandbox:slow:10' })

let server: Visited
let account: string
let url: string
/** By what they may call; the last one is revoked. */
let secrets: { readonly all: string; readonly reading: string; readonly revoked: string }
before(async () => {
  server = await visitServer()
  account = await newAccount(server, 'served by tools')
  url = server.grpc ?? ''
  const create = (methods: string) =>
    operate(server, 'consumers', 'create', 'tools', '--accounts', account, '--methods', `${SERVICE}/${methods}`)
  const [all, reading, revoked] = [await create('*'), await create('ListTasks'), await create('*')]
  await operate(server, 'consumers', 'revoke', revoked.id)
  secrets = { all: all.secret, reading: reading.secret, revoked: revoked.secret }
})
after(() => server.leave())
const target = () => new URL(url).host
const lines = (secret: string, of = account) => [
  `authorization: Bearer ${secret}`,
  `millhand-account: ${of}`,
  'millhand-mode: test',
]

describe('grpcurl', { skip: goMissing }, () => {
  let path: string
  before(
    async () => {
      path = await goTool('github.com/fullstorydev/grpcurl/cmd/grpcurl', 'v1.9.4')
    },
    { timeout: 1_800_000 },
  )
  const ask = async (metadata: readonly string[], data: string, method: string) => {
    const words = ['-plaintext', '-max-time', '60', ...metadata.flatMap(line => ['-H', line]), '-d', data]
    return (await run(path, [...words, target(), `${SERVICE}/${method}`])).stdout
  }

  test('creates a task and streams its events', async () => {
    const made = JSON.parse(await ask(lines(secrets.all), task, 'CreateTask'))
    const events = await ask(lines(secrets.all), JSON.stringify({ id: made.id }), 'WatchTask')
    assert.match(events, /"task\.queued"[\s\S]*"task\.succeeded"/)
  })

  test('shows why it is refused', async () => {
    const narrow = await failure(ask(lines(secrets.reading), task, 'CreateTask'))
    assert.match(narrow, /Code: PermissionDenied[\s\S]*"reason": "insufficient_scope"/)
    const foreign = await failure(ask(lines(secrets.all, 'acct_00000000000000000000000001'), '{}', 'ListTasks'))
    assert.match(foreign, /Code: PermissionDenied[\s\S]*"reason": "insufficient_scope"/)
    assert.match(await failure(ask(lines(secrets.revoked), '{}', 'ListTasks')), /Unauthenticated[\s\S]*was revoked/)
  })
})

describe('buf curl', () => {
  /** The schema is read by reflection, with the same metadata, unless `source` names files. */
  const ask = async (
    protocol: string,
    metadata: readonly string[],
    data: string,
    method: string,
    source: readonly string[] = ['--reflect-header', '*'],
  ) => {
    const words = ['curl', '--http2-prior-knowledge', '--protocol', protocol, ...source, '--data', data]
    const all = [...words, ...metadata.flatMap(line => ['--header', line]), `${url}/${SERVICE}/${method}`]
    return (await run(join(proto, 'node_modules/.bin/buf'), all, { cwd: proto })).stdout
  }

  for (const protocol of ['grpc', 'grpcweb', 'connect']) {
    test(`creates a task and streams its events by ${protocol}`, async () => {
      const made = JSON.parse(await ask(protocol, lines(secrets.all), task, 'CreateTask'))
      const events = await ask(protocol, lines(secrets.all), JSON.stringify({ id: made.id }), 'WatchTask')
      assert.match(events, /"task\.queued"[\s\S]*"task\.succeeded"/)
    })

    test(`is refused by ${protocol} with a narrower credential and with one that was revoked`, async () => {
      const narrow = await failure(ask(protocol, lines(secrets.reading), task, 'CreateTask'))
      assert.deepEqual(codesOf(narrow), ['permission_denied', 'insufficient_scope'])
      const revoked = await failure(ask(protocol, lines(secrets.revoked), '{}', 'ListTasks', ['--schema', '.']))
      assert.deepEqual(codesOf(revoked), ['unauthenticated', 'revoked_credentials'])
    })
  }
})

describe('grpcio', { skip: pythonMissing('grpc', 'grpc_reflection', 'google.rpc') }, () => {
  test('makes its calls, knowing the methods by reflection', async () => {
    const script = join(import.meta.dirname, 'grpc_consumer.py')
    const words = [script, target(), account, secrets.all, secrets.reading, secrets.revoked]
    const { stdout } = await run(python, words, { timeout: 300_000 })
    const seen = JSON.parse(stdout)
    assert.deepEqual([seen.events.at(0), seen.events.at(-1)], ['task.queued', 'task.succeeded'])
    assert.deepEqual(seen.narrow, ['PERMISSION_DENIED', 'insufficient_scope'])
    assert.deepEqual(seen.foreign, ['PERMISSION_DENIED', 'insufficient_scope'])
    assert.deepEqual(seen.revoked, ['UNAUTHENTICATED', 'revoked_credentials'])
    assert.deepEqual(seen.wrong, ['UNAUTHENTICATED', 'invalid_credentials'])
    assert.equal(seen.late, 'DEADLINE_EXCEEDED')
    assert.equal(seen.health, 'SERVING')
  })
})

describe('the examples of docs/grpc.md for consumers', () => {
  const env = () => ({
    ...inherited(),
    ...{ MILLHAND_CONSUMER: secrets.all, ACCOUNT: account, MILLHAND_SERVICE: target(), MILLHAND_PROTO: proto },
  })
  const [document] = readFileSync(join(repository, 'docs/grpc.md'), 'utf8').split('## Internal consumers\n').slice(1)
  const example = (language: string) =>
    blocks(document ?? '').find(block => block.language === language)?.code ?? assert.fail(`no ${language}`)

  test('in TypeScript lists a model', async () => {
    const folder = temporaryFolder('millhand-consumer-')
    symlinkSync(join(repository, 'test/e2e/node_modules'), join(folder, 'node_modules'))
    writeFileSync(join(folder, 'example.ts'), example('ts'))
    const words = ['--disable-warning=ExperimentalWarning', join(folder, 'example.ts')]
    const { stdout } = await run(process.execPath, words, { env: env(), timeout: 300_000 })
    assert.match(stdout, /^[a-z0-9-]+\n$/)
  })

  test('in Python lists a model', { skip: pythonMissing('grpc', 'grpc_reflection') }, async () => {
    const { stdout } = await run(python, ['-c', example('python')], { env: env(), timeout: 300_000 })
    assert.match(stdout, /^[a-z0-9-]+\n$/)
  })
})

/** The status and the code of a refusal, as `buf curl` shows it: its details are protobuf in base64. */
function codesOf(shown: string): [status: string, code: string | undefined] {
  const { code, details } = JSON.parse(shown)
  const info = details.find(({ type }: { type: string }) => type === ErrorInfoSchema.typeName)
  return [code, info && fromBinary(ErrorInfoSchema, Buffer.from(info.value, 'base64')).reason]
}

/** What a command that fails says. */
async function failure(work: Promise<unknown>): Promise<string> {
  const { stdout, stderr } = await work.then(
    () => assert.fail('it was answered'),
    (error: { stdout: string; stderr: string }) => error,
  )
  return stdout + stderr
}
