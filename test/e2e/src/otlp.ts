/** How a server is told where its collector is, and what a caller says of its trace. */
import type { OtlpReceiver } from '@millhand/test-servers'

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
