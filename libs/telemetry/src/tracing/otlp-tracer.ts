/** Spans by OpenTelemetry's SDK, sent by OTLP. Loading this file loads the SDK: only where traces are on. */
import { randomFillSync } from 'node:crypto'
import {
  createTraceState,
  type Span as OtelSpan,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  SamplingDecision,
  type SpanContext,
  SpanKind as SpanKinds,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { NodeSDK } from '@opentelemetry/sdk-node'
import type { Log } from '../log.ts'
import { BoundedQueue } from '../otlp/bounded-queue.ts'
import { reportProblems } from '../otlp/report-problems.ts'
import { resourceOf } from '../otlp/resource.ts'
import { attributes as names } from './span-names.ts'
import type { TraceContext } from './trace-context.ts'
import type { Attributes, Span, SpanKind, SpanOptions, Tracer } from './tracer.ts'
import type { TracingConfig } from './tracing-config.ts'

export async function createOtlpTracer(config: TracingConfig, service: string, log: Log) {
  reportProblems(log)
  const queue = new BoundedQueue(config.maxQueueSize)
  const exporter = await exporterOf(config.protocol)
  const ids = createIds()
  const sdk = new NodeSDK({
    resource: resourceOf(config.isNamed ? undefined : service),
    autoDetectResources: false,
    // Decided before any object of a span is made; see `root`.
    sampler: {
      shouldSample: () => ({ decision: SamplingDecision.RECORD_AND_SAMPLED }),
      toString: () => 'DecidedBefore',
    },
    idGenerator: ids,
    traceExporter: { export: queue.exporting(exporter), shutdown: () => exporter.shutdown() },
    // Contexts are passed by hand, and headers written by `libs/rpc`.
    contextManager: null as never,
    textMapPropagator: null,
    metricReaders: [],
    logRecordProcessors: [],
  })
  sdk.start()
  const otel = trace.getTracer('millhand')
  const start = (name: string, parent: TraceContext | undefined, options: SpanOptions): Span =>
    new RecordedSpan(startOtelSpan(otel, name, parent, options), parent?.state, queue)

  const tracer: Tracer = {
    root(parent, describe) {
      const { followsParent, ratio } = config.sampler
      const traceId = parent?.traceId ?? ids.newTraceId()
      const isSampled = parent !== undefined && followsParent ? parent.isSampled : isKept(traceId, ratio)
      if (isSampled) {
        const { name, ...options } = describe()
        const span = start(name, parent, options)
        return { context: span.context, span }
      }
      const spanId = parent?.spanId ?? ids.generateSpanId()
      return { context: { traceId, spanId, isSampled, ...(parent?.state && { state: parent.state }) } }
    },
    start,
    onDropped: dropped => queue.onDropped(dropped),
  }
  return { tracer, shutDown: () => sdk.shutdown() }
}

type Exporter = NonNullable<NonNullable<ConstructorParameters<typeof NodeSDK>[0]>['traceExporter']>

/** Each reads the other variables of its protocol: endpoint, headers, timeout, certificates. */
async function exporterOf(protocol: TracingConfig['protocol']): Promise<Exporter> {
  switch (protocol) {
    case 'grpc':
      return new (await import('@opentelemetry/exporter-trace-otlp-grpc')).OTLPTraceExporter()
    case 'http/protobuf':
      return new (await import('@opentelemetry/exporter-trace-otlp-proto')).OTLPTraceExporter()
    case 'http/json':
      return new (await import('@opentelemetry/exporter-trace-otlp-http')).OTLPTraceExporter()
  }
}

function startOtelSpan(
  otel: OtelTracer,
  name: string,
  parent: TraceContext | undefined,
  { kind = 'internal', attributes, links = [], startedAt }: SpanOptions,
): OtelSpan {
  const within = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, spanContextOf(parent))
  return otel.startSpan(
    name,
    {
      kind: kinds[kind],
      ...(attributes && { attributes }),
      ...(startedAt !== undefined && { startTime: startedAt }),
      links: links.map(link => ({ context: spanContextOf(link) })),
    },
    within,
  )
}

const kinds: Readonly<Record<SpanKind, SpanKinds>> = {
  internal: SpanKinds.INTERNAL,
  server: SpanKinds.SERVER,
  client: SpanKinds.CLIENT,
  consumer: SpanKinds.CONSUMER,
}

const spanContextOf = ({ traceId, spanId, isSampled, state }: TraceContext): SpanContext => ({
  traceId,
  spanId,
  isRemote: true,
  traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
  ...(state !== undefined && { traceState: createTraceState(state) }),
})

class RecordedSpan implements Span {
  readonly context: TraceContext
  readonly #span: OtelSpan
  readonly #queue: BoundedQueue

  constructor(span: OtelSpan, state: string | undefined, queue: BoundedQueue) {
    const { traceId, spanId } = span.spanContext()
    this.context = { traceId, spanId, isSampled: true, ...(state !== undefined && { state }) }
    this.#span = span
    this.#queue = queue
  }

  set(attributes: Attributes): void {
    this.#span.setAttributes(attributes)
  }

  end(error?: unknown): void {
    if (error !== undefined) this.#fail(error)
    if (this.#queue.admit()) this.#span.end()
  }

  /** Its message may hold what a caller sent, so its class is all that is told. */
  #fail(error: unknown): void {
    const type = typeof error === 'string' ? error : error instanceof Error ? error.name : typeof error
    this.#span.setAttribute(names.errorType, type)
    this.#span.setStatus({ code: SpanStatusCode.ERROR })
  }
}

/** Random bytes cost 1 µs a call, however few they are, and every request takes 24. */
const RANDOM_BYTES = 8_192

function createIds() {
  const random = Buffer.alloc(RANDOM_BYTES)
  let taken = RANDOM_BYTES
  const hex = (length: number): string => {
    if (taken + length > RANDOM_BYTES) {
      randomFillSync(random)
      taken = 0
    }
    taken += length
    const id = random.toString('hex', taken - length, taken)
    return /[^0]/.test(id) ? id : hex(length)
  }
  let next: string | undefined
  return {
    /** Of the root span that is started next. */
    newTraceId(): string {
      next = hex(16)
      return next
    },
    generateTraceId(): string {
      const id = next ?? hex(16)
      next = undefined
      return id
    },
    generateSpanId: () => hex(8),
  }
}

/** By the trace's id, so that everyone decides the same: its last 56 bits are random (W3C Trace Context, level 2). */
const isKept = (traceId: string, ratio: number): boolean => Number.parseInt(traceId.slice(-14), 16) < ratio * 2 ** 56
