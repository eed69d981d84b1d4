/**
 * A collector of traces for tests: OTLP over gRPC and HTTP, read by the official protocol files: `third_party` has
 * them unchanged from github.com/open-telemetry/opentelemetry-proto, commit ac2c4b5.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import { loadSync, type MethodDefinition } from '@grpc/proto-loader'

/** As it was received; ids are hexadecimal. */
export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  /** Empty for the root of a trace. */
  readonly parentSpanId: string
  readonly traceState: string
  readonly name: string
  readonly kind: string
  /** `service.name` of the process that sent it. */
  readonly service: string
  readonly attributes: Readonly<Record<string, unknown>>
  /** The ids of the traces that it is linked to. */
  readonly links: readonly string[]
  readonly isError: boolean
  /** How it was sent: `grpc` or the media type of the request. */
  readonly by: string
}

export interface OtlpReceiver {
  /** The endpoint for `grpc`. */
  readonly grpc: string
  /** The endpoint for `http/protobuf` and `http/json`. */
  readonly http: string
  readonly spans: readonly ReceivedSpan[]
  /**
   * Resolves with the first answer of `find` that is not undefined, which is asked again whenever spans have come. Rejects
   * after that time.
   */
  until<T>(find: (spans: readonly ReceivedSpan[]) => T | undefined, timeoutMs: number): Promise<T>
  [Symbol.asyncDispose](): Promise<void>
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = []
  const waiting = new Set<() => void>()
  const take = (request: ExportRequest, by: string) => {
    spans.push(...received(request, by))
    for (const look of waiting) look()
  }
  const grpc = new Server()
  grpc.addService({ Export: exportMethod }, {
    Export(call: { request: ExportRequest }, answer: (error: null, value: object) => void) {
      take(call.request, 'grpc')
      answer(null, {})
    },
  } as never)
  const port = await new Promise<number>((resolve, reject) => {
    grpc.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    )
  })
  const http = createServer(async (req, res) => {
    const type = req.headers['content-type'] ?? ''
    const body = await buffer(req)
    if (req.url !== '/v1/traces') return void res.writeHead(404).end()
    take(type === 'application/json' ? fromJson(body) : (exportMethod.requestDeserialize(body) as ExportRequest), type)
    const answer = type === 'application/json' ? '{}' : ''
    res.writeHead(200, { 'content-type': type }).end(answer)
  }).listen(0, '127.0.0.1')
  await once(http, 'listening')
  return {
    grpc: `http://127.0.0.1:${port}`,
    http: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    spans,
    until: (find, timeoutMs) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = find(spans)
          if (found === undefined) return
          clearTimeout(late)
          waiting.delete(look)
          resolve(found)
        }
        const late = setTimeout(() => {
          waiting.delete(look)
          reject(new Error(`the spans did not come within ${timeoutMs} ms`))
        }, timeoutMs)
        waiting.add(look)
        look()
      }),
    async [Symbol.asyncDispose]() {
      grpc.forceShutdown()
      http.close()
      http.closeAllConnections()
      await once(http, 'close')
    },
  }
}

const SERVICE = 'opentelemetry.proto.collector.trace.v1.TraceService'
const definitions = loadSync('opentelemetry/proto/collector/trace/v1/trace_service.proto', {
  includeDirs: [fileURLToPath(new URL('./third_party', import.meta.url))],
  enums: String,
  defaults: true,
  oneofs: true,
})
const exportMethod = (definitions[SERVICE] as Record<string, MethodDefinition<object, object>>)
  .Export as MethodDefinition<object, object>

interface ExportRequest {
  readonly resourceSpans: readonly {
    readonly resource?: { readonly attributes?: readonly KeyValue[] }
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[]
  }[]
}

interface OtlpSpan {
  readonly traceId: Uint8Array | string
  readonly spanId: Uint8Array | string
  readonly parentSpanId?: Uint8Array | string
  readonly traceState?: string
  readonly name: string
  readonly kind: string | number
  readonly attributes?: readonly KeyValue[]
  readonly links?: readonly { readonly traceId: Uint8Array | string }[]
  readonly status?: { readonly code?: string | number }
}

interface KeyValue {
  readonly key: string
  readonly value: {
    readonly stringValue?: string
    readonly intValue?: unknown
    readonly doubleValue?: number
    readonly boolValue?: boolean
  }
}

const fromJson = (body: Uint8Array) => JSON.parse(Buffer.from(body).toString()) as ExportRequest

function received({ resourceSpans }: ExportRequest, by: string): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(valuesOf(resource?.attributes)['service.name'])
    return scopeSpans.flatMap(scope =>
      scope.spans.map(span => ({
        traceId: hex(span.traceId),
        spanId: hex(span.spanId),
        parentSpanId: hex(span.parentSpanId ?? ''),
        traceState: span.traceState ?? '',
        name: span.name,
        kind: String(span.kind),
        service,
        attributes: valuesOf(span.attributes),
        links: (span.links ?? []).map(link => hex(link.traceId)),
        isError: ['STATUS_CODE_ERROR', 2].includes(span.status?.code ?? 0),
        by,
      })),
    )
  })
}

/** JSON has ids as hexadecimal text already (OTLP's specification, "JSON Protobuf Encoding"). */
const hex = (id: Uint8Array | string): string => (typeof id === 'string' ? id : Buffer.from(id).toString('hex'))

const valuesOf = (list: readonly KeyValue[] = []): Record<string, unknown> =>
  Object.fromEntries(
    list.map(({ key, value }) => {
      const { stringValue, intValue, doubleValue, boolValue } = value
      const number = intValue === undefined || intValue === null ? doubleValue : Number(intValue)
      return [key, stringValue ?? number ?? boolValue]
    }),
  )
