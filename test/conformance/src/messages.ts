/** What the suite's programs say to each other, from its own .proto files; the types here have what we use of it. */
import { readFileSync } from 'node:fs'
import { createFileRegistry, type FileRegistry, fromBinary, type Message } from '@bufbuild/protobuf'
import type { GenMessage, GenService } from '@bufbuild/protobuf/codegenv2'
import { type Any, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import type { Code } from '@connectrpc/connect'

type Named<Name extends string, Fields> = Message<`connectrpc.conformance.v1.${Name}`> & Fields

export type HeaderLine = Named<'Header', { name: string; value: string[] }>

export type Failure = Named<'Error', { code: Code; message?: string; details: Any[] }>

export interface Metadata {
  responseHeaders: HeaderLine[]
  responseTrailers: HeaderLine[]
}

/** What to answer a call with. */
export type OneAnswer = Named<
  'UnaryResponseDefinition',
  Metadata & {
    responseDelayMs: number
    response:
      | { case: 'responseData'; value: Uint8Array }
      | { case: 'error'; value: Failure }
      | { case: undefined; value?: undefined }
  }
>

/** What to answer a stream with. */
export type Answers = Named<
  'StreamResponseDefinition',
  Metadata & { responseDelayMs: number; responseData: Uint8Array[]; error?: Failure }
>

export type RequestInfo = Named<
  'ConformancePayload.RequestInfo',
  { requestHeaders: HeaderLine[]; timeoutMs?: bigint; requests: Any[]; connectGetInfo?: GetInfo }
>

type GetInfo = Named<'ConformancePayload.ConnectGetInfo', { queryParams: HeaderLine[] }>

export type Payload = Named<'ConformancePayload', { data: Uint8Array; requestInfo?: RequestInfo }>

type Response<Method extends string> = GenMessage<Named<`${Method}Response`, { payload?: Payload }>>
type Single<Method extends string> = GenMessage<Named<`${Method}Request`, { responseDefinition?: OneAnswer }>>
type Several<Method extends string, Fields = unknown> = GenMessage<
  Named<`${Method}Request`, { responseDefinition?: Answers } & Fields>
>

type ConformanceService = GenService<{
  unary: { methodKind: 'unary'; input: Single<'Unary'>; output: Response<'Unary'> }
  idempotentUnary: { methodKind: 'unary'; input: Single<'IdempotentUnary'>; output: Response<'IdempotentUnary'> }
  unimplemented: { methodKind: 'unary'; input: Single<'Unimplemented'>; output: Response<'Unimplemented'> }
  clientStream: { methodKind: 'client_streaming'; input: Single<'ClientStream'>; output: Response<'ClientStream'> }
  serverStream: { methodKind: 'server_streaming'; input: Several<'ServerStream'>; output: Response<'ServerStream'> }
  bidiStream: {
    methodKind: 'bidi_streaming'
    input: Several<'BidiStream', { fullDuplex: boolean }>
    output: Response<'BidiStream'>
  }
}>

interface Credentials {
  cert: Uint8Array
  key: Uint8Array
}

/** How a server is to be. */
export type ServerRequest = Named<
  'ServerCompatRequest',
  { useTls: boolean; serverCreds?: Credentials; clientTlsCert: Uint8Array; messageReceiveLimit: number }
>

/** Where it is reached. */
type ServerResponse = Named<'ServerCompatResponse', { host: string; port: number; pemCert: Uint8Array }>

export const protocols = { 1: 'connect', 2: 'grpc', 3: 'grpc-web' } as const

export const FULL_DUPLEX = 5

/** A call to make. */
export type ClientRequest = Named<
  'ClientCompatRequest',
  {
    testName: string
    protocol: keyof typeof protocols
    host: string
    port: number
    serverTlsCert: Uint8Array
    clientTlsCreds?: Credentials
    method: string
    streamType: number
    requestHeaders: HeaderLine[]
    requestMessages: Any[]
    timeoutMs?: number
    requestDelayMs: number
    cancel?: {
      cancelTiming:
        | { case: 'beforeCloseSend'; value: object }
        | { case: 'afterCloseSendMs' | 'afterNumResponses'; value: number }
        | { case: undefined; value?: undefined }
    }
  }
>

export type Result = Named<'ClientResponseResult', Metadata & { payloads: Payload[]; error?: Failure }>

/** What came of it. */
type ClientResponse = Named<
  'ClientCompatResponse',
  { testName: string; result: { case: 'response'; value: Result } | { case: 'error'; value: Message } }
>

export interface Suite {
  readonly service: ConformanceService
  readonly serverRequest: GenMessage<ServerRequest>
  readonly serverResponse: GenMessage<ServerResponse>
  readonly clientRequest: GenMessage<ClientRequest>
  readonly clientResponse: GenMessage<ClientResponse>
  readonly requestInfo: GenMessage<RequestInfo>
  readonly payload: GenMessage<Payload>
  /** All of the suite's messages. */
  readonly registry: FileRegistry
}

/** Reads the suite's descriptors, as `buf build` writes them. */
export function openSuite(image: string): Suite {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(image)))
  const message = <T extends Message>(name: string) =>
    registry.getMessage(`connectrpc.conformance.v1.${name}`) as GenMessage<T>
  return {
    service: registry.getService('connectrpc.conformance.v1.ConformanceService') as ConformanceService,
    serverRequest: message<ServerRequest>('ServerCompatRequest'),
    serverResponse: message<ServerResponse>('ServerCompatResponse'),
    clientRequest: message<ClientRequest>('ClientCompatRequest'),
    clientResponse: message<ClientResponse>('ClientCompatResponse'),
    requestInfo: message<RequestInfo>('ConformancePayload.RequestInfo'),
    payload: message<Payload>('ConformancePayload'),
    registry,
  }
}
