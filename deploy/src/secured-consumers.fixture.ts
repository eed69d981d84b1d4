/** What an internal consumer needs where services have certificates: a certificate and a credential, by two clients of gRPC. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { fromBinary, toBinary } from '@bufbuild/protobuf'
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js'
import { ListModelsRequestSchema, ListModelsResponseSchema } from '@millhand/api/gen/millhand/compute/v1/model_pb.ts'
import { type Authority, type Certificate, goMissing, goTool } from '@millhand/test-servers'

export interface SecuredService {
  /** Of compute. */
  readonly url: string
  /** What a credential of compute's methods may name, and that credential. */
  readonly account: string
  readonly secret: string
  readonly authority: Authority
  /** Whom the service does not trust. */
  readonly stranger: Authority
}

/** How a call ended: gRPC's status, and the code of the catalogue where a method has said why. */
type Ending = readonly [status: string, code?: string]
type Call = (service: SecuredService, tls: Partial<Certificate> & { ca: string }, secret?: string) => Promise<Ending>

export function describeSecuredConsumers(open: () => SecuredService): void {
  describe('a consumer by grpc-js', () => describeConsumer(open, byGrpcJs))
  describe('a consumer by grpcurl', { skip: goMissing }, () => {
    let grpcurl: string
    before(
      async () => {
        grpcurl = await goTool('github.com/fullstorydev/grpcurl/cmd/grpcurl', 'v1.9.4')
      },
      { timeout: 1_800_000 },
    )
    describeConsumer(open, (...words) => byGrpcurl(grpcurl, ...words))
  })
}

function describeConsumer(open: () => SecuredService, call: Call): void {
  it('is answered with its certificate and its credential', async () => {
    const { authority, secret } = open()
    assert.deepEqual(await call(open(), { ca: authority.ca, ...authority.issue() }, secret), ['OK'])
  })

  it('is refused without a certificate, and with one of another authority', async () => {
    const { authority, stranger, secret } = open()
    assert.deepEqual(await call(open(), { ca: authority.ca }, secret), ['UNAVAILABLE'])
    assert.deepEqual(await call(open(), { ca: authority.ca, ...stranger.issue() }, secret), ['UNAVAILABLE'])
  })

  it('does not take a service for its own that shows a certificate of another authority', async () => {
    const { authority, stranger, secret } = open()
    assert.deepEqual(await call(open(), { ca: stranger.ca, ...authority.issue() }, secret), ['UNAVAILABLE'])
  })

  it('is refused with a certificate alone, and with one and a wrong credential', async () => {
    const { authority, secret } = open()
    const tls = { ca: authority.ca, ...authority.issue() }
    assert.deepEqual(await call(open(), tls), ['UNAUTHENTICATED', 'missing_credentials'])
    const wrong = secret.slice(0, -1) + (secret.endsWith('0') ? '1' : '0')
    assert.deepEqual(await call(open(), tls, wrong), ['UNAUTHENTICATED', 'invalid_credentials'])
  })
}

const method = 'millhand.compute.v1.ComputeService/ListModels'
const MOST_S = 300

const byGrpcJs: Call = async ({ url, account }, { ca, key, cert }, secret) => {
  const pem = (text: string | undefined) => (text === undefined ? null : Buffer.from(text))
  const client = new Client(new URL(url).host, credentials.createSsl(pem(ca), pem(key), pem(cert)))
  const metadata = new Metadata()
  metadata.set('millhand-account', account)
  if (secret !== undefined) metadata.set('authorization', `Bearer ${secret}`)
  try {
    return await new Promise<Ending>(resolve => {
      client.makeUnaryRequest(
        `/${method}`,
        (request: object) => Buffer.from(toBinary(ListModelsRequestSchema, request as never)),
        bytes => fromBinary(ListModelsResponseSchema, bytes),
        { $typeName: ListModelsRequestSchema.typeName, limit: 1 },
        metadata,
        { deadline: Date.now() + MOST_S * 1_000 },
        (error: ServiceError | null) => resolve(error === null ? ['OK'] : endingOf(error)),
      )
    })
  } finally {
    client.close()
  }
}

function endingOf({ code, metadata }: ServiceError): Ending {
  const [details = ''] = metadata.get('grpc-status-details-bin').map(bytes => (bytes as Buffer).toString('latin1'))
  const [, reason] = /google\.rpc\.ErrorInfo[^a-z]+([a-z_]+)/.exec(details) ?? []
  return reason === undefined ? [status[code] as string] : [status[code] as string, reason]
}

async function byGrpcurl(grpcurl: string, { url, account }: SecuredService, tls: Parameters<Call>[1], secret?: string) {
  const folder = mkdtempSync(join(tmpdir(), 'millhand-consumer-'))
  try {
    const files = Object.entries({ cacert: tls.ca, cert: tls.cert, key: tls.key }).flatMap(([name, text]) => {
      if (text === undefined) return []
      writeFileSync(join(folder, name), text, { mode: 0o600 })
      return [`-${name}`, join(folder, name)]
    })
    const proto = resolve(import.meta.dirname, '../../proto')
    const schema = ['-import-path', proto, '-import-path', join(proto, 'third_party')]
    const lines = [`millhand-account: ${account}`, ...(secret === undefined ? [] : [`authorization: Bearer ${secret}`])]
    const words = [
      ...['-max-time', String(MOST_S), '-connect-timeout', String(MOST_S), ...files, ...schema],
      ...['-proto', 'millhand/compute/v1/compute_service.proto', '-proto', 'google/rpc/error_details.proto'],
      ...lines.flatMap(line => ['-H', line]),
      ...['-d', '{"limit":1}', new URL(url).host, method],
    ]
    const error = await promisify(execFile)(grpcurl, words).then(
      () => undefined,
      ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
    )
    return error === undefined ? (['OK'] as const) : endingOfGrpcurl(error)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** It shows the status and the details of what a server has answered; a failed handshake is none, or `Unavailable`. */
function endingOfGrpcurl(shown: string): Ending {
  const [, code = 'none'] = /Code: (\w+)/.exec(shown) ?? []
  if (code === 'none') assert.match(shown, /^Failed to dial target host/)
  if (code === 'none' || code === 'Unavailable') return ['UNAVAILABLE']
  const [, reason] = /"reason": "(\w+)"/.exec(shown) ?? []
  return reason === undefined ? [code.toUpperCase()] : [code.toUpperCase(), reason]
}
