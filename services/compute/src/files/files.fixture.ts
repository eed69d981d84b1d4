/** What the tests of files share: a service on stores that can be looked into, and callers of it. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, beforeEach } from 'node:test'
import type { MessageInitShape } from '@bufbuild/protobuf'
import {
  type CallOptions,
  type Client,
  createClient,
  createContextValues,
  type HandlerContext,
  type Transport,
} from '@connectrpc/connect'
import { codeOf, createCursors, createIds } from '@millhand/api'
import type { FileDescriptionSchema, UploadFileRequestSchema } from '@millhand/api/gen/millhand/compute/v1/file_pb.ts'
import { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import type { Blobs } from '@millhand/blob'
import { type Clock, manualClock } from '@millhand/process'
import { createDirectTransport, operationKey, principalKey, serve } from '@millhand/rpc'
import { createLog } from '@millhand/telemetry'
import type { Inspector } from '../models/inspector.ts'
import { createOwnModels, type OwnModels } from '../models/own-models.ts'
import { createFileService, type FileCollections } from './file-service.ts'
import type { UsedBy } from './file-use.ts'
import type { Files } from './files.ts'

/** Where files are kept. */
export interface Stores extends FileCollections {
  readonly blobs: Blobs
}

export interface Opened {
  readonly stores: Stores
  close(): Promise<void>
}

export type Part = MessageInitShape<typeof UploadFileRequestSchema>
export type Description = MessageInitShape<typeof FileDescriptionSchema>

export const described = (value: Description = {}): Part => ({ part: { case: 'description', value } })
export const data = (value: Uint8Array | string): Part => ({ part: { case: 'data', value: Buffer.from(value) } })

export interface Service {
  readonly client: Client<typeof FileService>
  readonly models: OwnModels
  readonly holdings: Files['holdings']
  /** Does what the owner does each hour. */
  sweep(): Promise<void>
}

interface Opening {
  readonly quotaBytes?: number
  readonly usedBy?: UsedBy
  /** The way to the service. */
  readonly over?: (direct: Transport) => Transport
  /** Takes the lines of its log. */
  readonly write?: (line: string) => void
}

export function openService(stores: Stores, clock: Clock, opening: Opening = {}): Service {
  const { quotaBytes = 2 ** 30, over = direct => direct, write } = opening
  const { usedBy = async () => undefined } = opening
  const service = createFileService({
    ...stores,
    cursors: createCursors(new Uint8Array(32)),
    clock,
    log: createLog({ level: 'error', ...(write && { write }) }),
    quotaBytes,
    usedBy,
  })
  const ids = createIds({ now: () => clock.now() })
  const { files } = service
  const models = createOwnModels({ collection: stores.models, files, inspector: anyModel, usedBy, clock, ids })
  const transport = createDirectTransport()
  serve(service.routes, transport)
  return {
    client: createClient(FileService, over(transport)),
    models,
    holdings: files.holdings,
    sweep: () => service.sweep(new AbortController().signal),
  }
}

/** Finds a model in whatever it gets. */
const anyModel: Inspector = {
  inspect: async ({ open }) =>
    (await open()) && { inputs: [], outputs: [], hiddenOutputs: {}, opsets: { 'ai.onnx': 17 }, operators: [] },
}

/** Makes a model of a file of the caller's; its id. */
export async function createModel({ models }: Service, caller: CallOptions, file: string): Promise<string> {
  return (await models.create({ name: 'a model', labels: [], metrics: {} }, file, callOf(caller))).id
}

export const removeModel = ({ models }: Service, caller: CallOptions, id: string) => models.remove(id, callOf(caller))

export const callOf = ({ contextValues }: CallOptions) =>
  ({ values: contextValues, signal: new AbortController().signal }) as unknown as HandlerContext

export const as = (accountId: string, mode: 'live' | 'test' = 'live', options: CallOptions = {}): CallOptions => ({
  ...options,
  contextValues: createContextValues().set(principalKey, {
    accountId,
    mode,
    tenant: `${accountId}/${mode}`,
    scopes: new Set(['*']),
    keyId: 'key_a',
    plans: { compute: 'enterprise', developer: 'enterprise', workforce: 'enterprise' },
  }),
})

/** The same as part of an operation. */
export const inOperation = (caller: CallOptions, operation: string): CallOptions => {
  const values = createContextValues()
  values.set(principalKey, caller.contextValues?.get(principalKey)).set(operationKey, operation)
  return { ...caller, contextValues: values }
}

export async function* stream(...parts: readonly Part[]) {
  yield* parts
}

export const upload = ({ client }: Service, caller: CallOptions, bytes: string, description: Description = {}) =>
  client.uploadFile(stream(described(description), data(bytes)), caller)

export async function download(
  { client }: Service,
  caller: CallOptions,
  id: string,
  range: { start?: number; end?: number; suffix?: number } = {},
): Promise<string> {
  const bytes: Uint8Array[] = []
  for await (const { part } of client.getFileContent({ id, ...range }, caller)) {
    if (part.case === 'data') bytes.push(part.value)
  }
  return Buffer.concat(bytes).toString()
}

export async function refusal(call: Promise<unknown>) {
  const error = await call.then(
    () => assert.fail('it was not refused'),
    (error: unknown) => error,
  )
  return codeOf(error)
}

export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Files on stores that are open while the tests of a `describe` run; each test has an account of its own. */
export function givenFiles(open: () => Promise<Opened>) {
  let opened: Opened
  const clock = manualClock(Date.UTC(2026, 10, 21))
  let service: Service
  let accounts = 0
  before(async () => {
    opened = await open()
    service = openService(opened.stores, clock)
  })
  after(() => opened.close())
  beforeEach(() => {
    accounts++
  })
  const account = () => `acct_${accounts}`
  return {
    clock,
    get stores() {
      return opened.stores
    },
    get service() {
      return service
    },
    get account() {
      return account()
    },
    get caller() {
      return as(account())
    },
    /** Keys of an account's blobs. */
    async blobs(of = account()): Promise<string[]> {
      return (await blobKeys(opened.stores)).filter(key => key.startsWith(`files/${of}/`))
    },
    /** Bytes that count against the account's quota. */
    async used(): Promise<number> {
      return (await opened.stores.storage.get(`${account()}/live`, 'storage'))?.bytes ?? 0
    },
  }
}

const all = { equals: [], limit: 10_000 }

export async function blobKeys({ blobs }: Stores): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of blobs.list('')) keys.push(key)
  return keys.sort()
}

/** Fails unless blobs, contents, files, models and counted bytes say the same, and nothing is under way. */
export async function assertInStep(stores: Stores): Promise<void> {
  const contents = await stores.contents.find('primary', all)
  assert.deepEqual(
    contents.filter(({ state }) => state !== 'kept'),
    [],
  )
  assert.deepEqual(await blobKeys(stores), contents.map(({ tenant, id }) => `files/${tenant}/${id}`).sort())

  const files = [
    ...(await stores.files.find('primary', all)).filter(file => file.fate !== 'removed'),
    ...(await stores.models.find('primary', all)).filter(model => model.fate !== 'removed'),
  ]
  assert.deepEqual(
    contents.flatMap(({ id, sha256, holders }) => holders.map(file => [file, id, sha256])).sort(),
    files.map(({ id, content, sha256 }) => [id, content, sha256]).sort(),
  )

  for (const { tenant, bytes, intents } of await stores.storage.find('primary', all)) {
    const held = files.filter(file => file.tenant === tenant).map(file => file.bytes)
    assert.deepEqual(
      { tenant, bytes, intents },
      { tenant, bytes: held.reduce((sum, each) => sum + each, 0), intents: [] },
    )
  }
}
