/** Traces as a collector sees them: how a server is told of it, what a caller says of its trace, and what comes of it. */
import assert from 'node:assert/strict'
import type { OtlpReceiver, ReceivedSpan } from '@millhand/test-servers'

const WAIT_MS = 300_000

export const mediaTypes = {
  grpc: 'grpc',
  'http/protobuf': 'application/x-protobuf',
  'http/json': 'application/json',
} as const

export type OtlpProtocol = keyof typeof mediaTypes

/** The variables of a server that sends to the collector, soon after there is something to send. */
export const sentTo = (collector: Pick<OtlpReceiver, 'grpc' | 'http'>, protocol: OtlpProtocol) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: protocol === 'grpc' ? collector.grpc : collector.http,
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
  OTEL_BSP_SCHEDULE_DELAY: '100',
  OTEL_BLRP_SCHEDULE_DELAY: '100',
})

export function callersTrace(flags: '00' | '01') {
  const traceId = crypto.randomUUID().replaceAll('-', '')
  const spanId = 'b7ad6b7169203331'
  const headers = { traceparent: `00-${traceId}-${spanId}-${flags}`, tracestate: 'rojo=00f067aa0ba902b7' }
  return { traceId, spanId, headers }
}

/** The spans of the trace, once it has one for each of the names. */
export async function traceOf(
  collector: OtlpReceiver,
  traceId: string,
  names: readonly string[],
): Promise<readonly ReceivedSpan[]> {
  const inTrace = (spans: readonly ReceivedSpan[]) => spans.filter(span => span.traceId === traceId)
  try {
    return await collector.until(all => {
      const spans = inTrace(all)
      const left = spans.map(labelOf)
      const isThere = (name: string) => {
        const at = left.indexOf(name)
        if (at !== -1) left.splice(at, 1)
        return at !== -1
      }
      return names.every(isThere) ? spans : undefined
    }, WAIT_MS)
  } catch {
    const message = `the trace has ${inTrace(collector.spans).map(labelOf).sort()}, not ${names}`
    throw new assert.AssertionError({ message })
  }
}

export function spanOf(spans: readonly ReceivedSpan[], label: string): ReceivedSpan {
  const found = spans.filter(span => labelOf(span) === label)
  assert.equal(found.length, 1, `${found.length} spans are ${label}`)
  return found[0] as ReceivedSpan
}

/** The name; of a call its side and its method. */
export function labelOf({ name, kind }: ReceivedSpan): string {
  const method = /^millhand\..*\/(\w+)$/.exec(name)?.[1]
  if (method === undefined) return name
  return `${kind === 'SPAN_KIND_SERVER' || kind === '2' ? 'server' : 'client'} ${method}`
}
