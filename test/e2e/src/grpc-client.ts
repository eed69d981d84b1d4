/** A client of grpc-js, as programs in Node have it. */

import { once } from 'node:events'
import { connect } from 'node:http2'
import type { DescMessage, DescService, MessageInitShape, MessageShape } from '@bufbuild/protobuf'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import {
  type ChannelCredentials,
  type ClientOptions,
  type ClientReadableStream,
  credentials,
  Metadata,
  makeGenericClientConstructor,
  type ServiceError,
} from '@grpc/grpc-js'
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from '@millhand/api/gen/google/rpc/error_details_pb.ts'

export interface Options {
  readonly metadata?: Readonly<Record<string, string>>
  readonly deadlineMs?: number
}

/** What a call that was answered says. */
export interface Answered<Message> {
  readonly message: Message
  /** Leading and trailing. */
  readonly headers: Readonly<Record<string, string>>
}

/** A client of one service. `key` is sent with every call, unless a call's metadata says otherwise. */
export function grpcClient<S extends DescService>(
  service: S,
  target: string,
  key?: string,
  { secure = credentials.createInsecure(), ...options }: ClientOptions & { secure?: ChannelCredentials } = {},
) {
  const definition = Object.fromEntries(
    service.methods.map(method => [
      method.name,
      {
        path: `/${service.typeName}/${method.name}`,
        requestStream: method.methodKind === 'client_streaming',
        responseStream: method.methodKind === 'server_streaming',
        requestSerialize: (message: MessageShape<DescMessage>) => Buffer.from(toBinary(method.input, message)),
        requestDeserialize: (bytes: Buffer) => fromBinary(method.input, bytes),
        responseSerialize: (message: MessageShape<DescMessage>) => Buffer.from(toBinary(method.output, message)),
        responseDeserialize: (bytes: Buffer) => fromBinary(method.output, bytes),
      },
    ]),
  )
  const Client = makeGenericClientConstructor(definition, service.typeName)
  const client = new Client(target, secure, options)

  const metadataOf = (more: Readonly<Record<string, string>> = {}) => {
    const metadata = new Metadata()
    const all = { ...(key !== undefined && { authorization: `Bearer ${key}` }), ...more }
    for (const [name, value] of Object.entries(all)) metadata.set(name, value)
    return metadata
  }
  const callOptions = ({ deadlineMs }: Options) =>
    deadlineMs === undefined ? {} : { deadline: Date.now() + deadlineMs }

  return {
    close: () => client.close(),
    /** One request, one answer. */
    unary<Name extends keyof S['method']>(
      name: Name,
      init: MessageInitShape<S['method'][Name]['input']>,
      options: Options = {},
    ): Promise<Answered<MessageShape<S['method'][Name]['output']>>> {
      const method = service.method[name as string] as S['methods'][number]
      return new Promise((resolve, reject) => {
        const headers: Record<string, string> = {}
        let message: unknown
        let failure: ServiceError | null = null
        const note = (metadata: Metadata) => Object.assign(headers, metadata.getMap())
        const request = create(method.input, init as never)
        const call = client[method.name]?.(
          request,
          metadataOf(options.metadata),
          callOptions(options),
          (error: ServiceError | null, answer: unknown) => {
            failure = error
            message = answer
          },
        )
        call.on('metadata', note)
        call.on('status', ({ metadata }: { metadata: Metadata }) => {
          note(metadata)
          // The callback is called before or in the same turn.
          setImmediate(() =>
            failure ? reject(Object.assign(failure, { headers })) : resolve({ message: message as never, headers }),
          )
        })
      })
    },
    /** One request, many answers. */
    stream<Name extends keyof S['method']>(
      name: Name,
      init: MessageInitShape<S['method'][Name]['input']>,
      options: Options = {},
    ): ClientReadableStream<MessageShape<S['method'][Name]['output']>> {
      const method = service.method[name as string] as S['methods'][number]
      const request = create(method.input, init as never)
      return client[method.name]?.(request, metadataOf(options.metadata), callOptions(options))
    },
  }
}

export interface Refusal {
  /** gRPC's. */
  readonly status: number
  /** The catalogue's. */
  readonly code: string | undefined
  readonly message: string
  readonly metadata: Readonly<Record<string, string>>
  /** By field, the word for what is wrong with it. */
  readonly faults: Readonly<Record<string, string>>
  readonly retryAfterS: number | undefined
  readonly headers: Readonly<Record<string, string>>
}

/** What a refused call says. Fails where it was not refused. */
export async function refusal(work: Promise<unknown>): Promise<Refusal> {
  const error = await work.then(
    answer => {
      throw new Error(
        `it was answered: ${JSON.stringify(answer, (_, value) => (typeof value === 'bigint' ? `${value}` : value))}`,
      )
    },
    (reason: ServiceError & { headers?: Record<string, string> }) => reason,
  )
  if (error.metadata === undefined) throw error
  const details = detailsOf(error.metadata.get('grpc-status-details-bin')[0] as Buffer | undefined)
  const find = <Desc extends DescMessage>(desc: Desc) => {
    const found = details.find(({ type }) => type.endsWith(`/${desc.typeName}`))
    return found && fromBinary(desc, found.value)
  }
  const info = find(ErrorInfoSchema)
  const delay = find(RetryInfoSchema)?.retryDelay
  const violations = find(BadRequestSchema)?.fieldViolations ?? []
  return {
    status: error.code,
    code: info?.reason,
    message: error.details,
    metadata: info?.metadata ?? {},
    faults: Object.fromEntries(violations.map(({ field, reason }) => [field, reason])),
    retryAfterS: delay && Number(delay.seconds),
    headers: error.headers ?? {},
  }
}

/** The status with which a server ends a stream of a task's events at its deadline. By hand: a client of gRPC ends the call by itself, too. */
export async function statusAtDeadline(
  url: string,
  task: string,
  metadata: Readonly<Record<string, string>>,
): Promise<number> {
  const session = connect(url)
  try {
    const call = session.request({
      ':method': 'POST',
      ':path': '/millhand.compute.v1.ComputeService/WatchTask',
      'content-type': 'application/grpc',
      'grpc-timeout': '300m',
      te: 'trailers',
      ...metadata,
    })
    const id = Buffer.from(task)
    call.end(Buffer.concat([Buffer.from([0, 0, 0, 0, id.length + 2, 0x0a, id.length]), id]))
    call.resume()
    const [trailers] = await once(call, 'trailers')
    return Number(trailers['grpc-status'])
  } finally {
    session.destroy()
  }
}

/** The details of a `google.rpc.Status`: field 3, each a `google.protobuf.Any`. */
function detailsOf(status: Buffer | undefined): { readonly type: string; readonly value: Uint8Array }[] {
  if (status === undefined) return []
  return fieldsOf(status)
    .filter(({ number }) => number === 3)
    .map(({ bytes }) => {
      const any = fieldsOf(bytes)
      const at = (number: number) => any.find(field => field.number === number)?.bytes ?? Buffer.alloc(0)
      return { type: at(1).toString(), value: at(2) }
    })
}

function fieldsOf(message: Buffer): { readonly number: number; readonly bytes: Buffer }[] {
  const reader = new BinaryReader(message)
  const fields: { number: number; bytes: Buffer }[] = []
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag()
    if (type === WireType.LengthDelimited) fields.push({ number, bytes: Buffer.from(reader.bytes()) })
    else reader.skip(type, number)
  }
  return fields
}
