/** What people point at a gRPC server, pointed at ours. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { goMissing, goTool } from '@millhand/test-servers'
import { mintToken, openServer } from './network.fixture.ts'
import { allOf } from './service-token.ts'

const run = promisify(execFile)
const proto = fileURLToPath(new URL('../../../../proto', import.meta.url))
const token = mintToken({ service: 'tools', methods: [allOf(LeaseService)] })
const header = `authorization: Bearer ${token}`
const claim = JSON.stringify({ executor_id: 'executor', pool: 'live/onnx', runs: 1 })
const claimed = { runs: [{ group: 'echo' }] }

let server: Awaited<ReturnType<typeof openServer>>
before(async () => {
  server = await openServer(router => router.service(LeaseService, { claim: () => claimed }))
})
after(() => server.close(0))
const target = () => new URL(server.url).host

describe('grpcurl', { skip: goMissing }, () => {
  let path: string
  const build = async () => {
    path = await goTool('github.com/fullstorydev/grpcurl/cmd/grpcurl', 'v1.9.4')
  }
  before(build, { timeout: 1_800_000 })
  const ask = async (...words: string[]) => (await run(path, ['-plaintext', '-max-time', '10', ...words])).stdout
  const asKnown = (...words: string[]) => ask('-H', header, ...words)

  it('lists and describes what is served', async () => {
    assert.deepEqual((await asKnown(target(), 'list')).trim().split('\n'), [
      'grpc.health.v1.Health',
      'grpc.reflection.v1.ServerReflection',
      'grpc.reflection.v1alpha.ServerReflection',
      'millhand.lease.v1.LeaseService',
    ])
    const described = await asKnown(target(), 'describe', 'millhand.lease.v1.ClaimRequest')
    assert.match(described, /string pool = 2 \[[\s\S]*?required: true/)
  })

  it('calls a method, knowing it from reflection alone', async () => {
    const answer = await asKnown('-d', claim, target(), 'millhand.lease.v1.LeaseService/Claim')
    assert.deepEqual(JSON.parse(answer), claimed)
  })

  it('shows the code and the bad fields of an error', async () => {
    const error = await failure(asKnown('-d', '{"runs":65}', target(), 'millhand.lease.v1.LeaseService/Claim'))
    assert.match(error, /Code: InvalidArgument/)
    assert.match(error, /"reason": "missing_parameter"/)
    assert.match(error, /"field": "runs"/)
  })

  it('asks for health, without a token', async () => {
    const words = ['-import-path', `${proto}/third_party`, '-proto', 'grpc/health/v1/health.proto']
    const answer = await ask(...words, target(), 'grpc.health.v1.Health/Check')
    assert.deepEqual(JSON.parse(answer), { status: 'SERVING' })
  })

  it('learns nothing else without a token', async () => {
    assert.match(await failure(ask(target(), 'list')), /Unauthenticated/)
    assert.match(await failure(ask('-H', 'authorization: Bearer mhs_x.y', target(), 'list')), /Unauthenticated/)
  })
})

describe('buf curl', () => {
  const ask = async (method: string, ...words: string[]) => {
    const all = ['curl', '--http2-prior-knowledge', ...words, `${server.url}/${method}`]
    return JSON.parse((await run(`${proto}/node_modules/.bin/buf`, all, { cwd: proto })).stdout)
  }
  for (const protocol of ['grpc', 'grpcweb', 'connect']) {
    it(`calls a method by ${protocol}, knowing it from reflection alone`, async () => {
      const words = ['--protocol', protocol, '--reflect-header', header, '--header', header, '--data', claim]
      assert.deepEqual(await ask('millhand.lease.v1.LeaseService/Claim', ...words), claimed)
    })
  }

  it('asks for health, without a token', async () => {
    const words = ['--schema', '.', '--protocol', 'grpc']
    assert.deepEqual(await ask('grpc.health.v1.Health/Check', ...words), { status: 'SERVING' })
  })

  it('learns nothing else without a token', async () => {
    const words = ['--schema', '.', '--data', claim]
    assert.match(await failure(ask('millhand.lease.v1.LeaseService/Claim', ...words)), /"code": *"unauthenticated"/)
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
