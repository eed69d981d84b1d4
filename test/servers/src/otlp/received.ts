/** What the exporters send, as tests read it. */

/** A span as it was received; ids are hexadecimal. */
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

/** A line of a log as it was received; ids are hexadecimal, and empty where it has none. */
export interface ReceivedRecord {
  readonly traceId: string
  readonly spanId: string
  /** Milliseconds since 1970. */
  readonly time: number
  readonly severity: string
  readonly eventName: string
  readonly body: unknown
  readonly service: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly by: string
}

export interface TraceRequest {
  readonly resourceSpans: readonly {
    readonly resource?: OtlpResource
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[]
  }[]
}

export interface LogsRequest {
  readonly resourceLogs: readonly {
    readonly resource?: OtlpResource
    readonly scopeLogs: readonly { readonly logRecords: readonly OtlpRecord[] }[]
  }[]
}

interface OtlpResource {
  readonly attributes?: readonly KeyValue[]
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

interface OtlpRecord {
  readonly timeUnixNano: unknown
  readonly severityText: string
  readonly eventName: string
  readonly body?: Value
  readonly traceId?: Uint8Array | string
  readonly spanId?: Uint8Array | string
  readonly attributes?: readonly KeyValue[]
}

interface KeyValue {
  readonly key: string
  readonly value: Value
}

interface Value {
  readonly stringValue?: string
  readonly intValue?: unknown
  readonly doubleValue?: number
  readonly boolValue?: boolean
  readonly arrayValue?: { readonly values: readonly Value[] }
  readonly kvlistValue?: { readonly values: readonly KeyValue[] }
}

export function receivedSpans({ resourceSpans }: TraceRequest, by: string): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = serviceOf(resource)
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

export function receivedRecords({ resourceLogs }: LogsRequest, by: string): ReceivedRecord[] {
  return resourceLogs.flatMap(({ resource, scopeLogs }) => {
    const service = serviceOf(resource)
    return scopeLogs.flatMap(scope =>
      scope.logRecords.map(record => ({
        traceId: hex(record.traceId ?? ''),
        spanId: hex(record.spanId ?? ''),
        time: Math.round(Number(record.timeUnixNano) / 1e6),
        severity: record.severityText,
        eventName: record.eventName,
        body: record.body && plainOf(record.body),
        service,
        attributes: valuesOf(record.attributes),
        by,
      })),
    )
  })
}

const serviceOf = (resource: OtlpResource | undefined): string => String(valuesOf(resource?.attributes)['service.name'])

/** JSON has ids as hexadecimal text already (OTLP's specification, "JSON Protobuf Encoding"). */
const hex = (id: Uint8Array | string): string => (typeof id === 'string' ? id : Buffer.from(id).toString('hex'))

const valuesOf = (list: readonly KeyValue[] = []): Record<string, unknown> =>
  Object.fromEntries(list.map(({ key, value }) => [key, plainOf(value)]))

function plainOf({ stringValue, intValue, doubleValue, boolValue, arrayValue, kvlistValue }: Value): unknown {
  if (arrayValue) return arrayValue.values.map(plainOf)
  if (kvlistValue) return valuesOf(kvlistValue.values)
  const number = intValue === undefined || intValue === null ? doubleValue : Number(intValue)
  return stringValue ?? number ?? boolValue
}
