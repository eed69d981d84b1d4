/**
 * A collector of traces and logs for tests: OTLP over gRPC and HTTP, read by the official protocol files: `third_party` has
 * them unchanged from github.com/open-telemetry/opentelemetry-proto, commit ac2c4b5.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import { loadSync, type MethodDefinition } from '@grpc/proto-loader'
import {
  type LogsRequest,
  type ReceivedRecord,
  type ReceivedSpan,
  receivedRecords,
  receivedSpans,
  type TraceRequest,
} from './received.ts'

export interface OtlpReceiver {
  /** The endpoint for `grpc`. */
  readonly grpc: string
  /** The endpoint for `http/protobuf` and `http/json`. */
  readonly http: string
  readonly spans: readonly ReceivedSpan[]
  /** The lines of logs. */
  readonly records: readonly ReceivedRecord[]
  /**
   * Resolves with the first answer of `find` that is not undefined, which is asked again whenever something has come.
   * Rejects after that time.
   */
  until<T>(
    find: (spans: readonly ReceivedSpan[], records: readonly ReceivedRecord[]) => T | undefined,
    timeoutMs: number,
  ): Promise<T>
  [Symbol.asyncDispose](): Promise<void>
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = []
  const records: ReceivedRecord[] = []
  const waiting = new Set<() => void>()
  const signals: readonly Signal[] = [
    { ...signalOf('trace', 'Trace'), take: (request, by) => spans.push(...receivedSpans(request as TraceRequest, by)) },
    {
      ...signalOf('logs', 'Logs'),
      take: (request, by) => records.push(...receivedRecords(request as LogsRequest, by)),
    },
  ]
  const take = (signal: Signal, request: object, by: string) => {
    signal.take(request, by)
    for (const look of waiting) look()
  }
  const grpc = new Server()
  for (const signal of signals)
    grpc.addService({ Export: signal.method }, {
      Export(call: { request: object }, answer: (error: null, value: object) => void) {
        take(signal, call.request, 'grpc')
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
    const signal = signals.find(({ path }) => path === req.url)
    if (signal === undefined) return void res.writeHead(404).end()
    const isJson = type === 'application/json'
    take(signal, isJson ? JSON.parse(body.toString()) : signal.method.requestDeserialize(body), type)
    const answer = isJson ? '{}' : ''
    res.writeHead(200, { 'content-type': type }).end(answer)
  }).listen(0, '127.0.0.1')
  await once(http, 'listening')
  return {
    grpc: `http://127.0.0.1:${port}`,
    http: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    spans,
    records,
    until: (find, timeoutMs) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = find(spans, records)
          if (found === undefined) return
          clearTimeout(late)
          waiting.delete(look)
          resolve(found)
        }
        const late = setTimeout(() => {
          waiting.delete(look)
          reject(new Error(`what is looked for did not come within ${timeoutMs} ms`))
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

interface Signal {
  /** Of HTTP. */
  readonly path: string
  readonly method: MethodDefinition<object, object>
  readonly take: (request: object, by: string) => void
}

function signalOf(name: string, service: string): Pick<Signal, 'path' | 'method'> {
  const definitions = loadSync(`opentelemetry/proto/collector/${name}/v1/${name}_service.proto`, {
    includeDirs: [fileURLToPath(new URL('./third_party', import.meta.url))],
    enums: String,
    defaults: true,
    oneofs: true,
  })
  const methods = definitions[`opentelemetry.proto.collector.${name}.v1.${service}Service`]
  const { Export: method } = methods as unknown as Record<string, MethodDefinition<object, object>>
  if (method === undefined) throw new Error(`${service}Service has no method Export`)
  return { path: name === 'trace' ? '/v1/traces' : `/v1/${name}`, method }
}
