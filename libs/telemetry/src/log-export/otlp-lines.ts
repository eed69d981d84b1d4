/** The log by OpenTelemetry's logs SDK, sent by OTLP. Loading this file loads the SDK: only where the log is exported. */
import { type LogRecord, ROOT_CONTEXT, SeverityNumber, TraceFlags, trace } from '@opentelemetry/api'
import { BatchLogRecordProcessor, LoggerProvider, type LogRecordExporter } from '@opentelemetry/sdk-logs'
import type { Log } from '../log.ts'
import type { Level, Line } from '../log-line.ts'
import { BoundedQueue } from '../otlp/bounded-queue.ts'
import { reportProblems } from '../otlp/report-problems.ts'
import { resourceOf } from '../otlp/resource.ts'
import { attributes as names } from '../tracing/span-names.ts'
import type { LineExporter } from './line-exporter.ts'
import type { LogExportConfig } from './log-export-config.ts'

export async function createOtlpLines(config: LogExportConfig, service: string, log: Log) {
  reportProblems(log)
  const queue = new BoundedQueue(config.maxQueueSize)
  const exporter = await exporterOf(config.protocol)
  const provider = new LoggerProvider({
    resource: resourceOf(config.isNamed ? undefined : service),
    processors: [
      new BatchLogRecordProcessor({
        exporter: {
          export: queue.exporting(exporter),
          forceFlush: () => exporter.forceFlush(),
          shutdown: () => exporter.shutdown(),
        },
        maxQueueSize: config.maxQueueSize,
        maxExportBatchSize: config.maxBatchSize,
        scheduledDelayMillis: config.delayMs,
        exportTimeoutMillis: config.timeoutMs,
      }),
    ],
  })
  const logger = provider.getLogger('millhand')
  const lines: LineExporter = {
    export(line) {
      if (queue.admit()) logger.emit(recordOf(line))
    },
    onDropped: dropped => queue.onDropped(dropped),
  }
  return { lines, shutDown: () => provider.shutdown() }
}

/** Each reads the other variables of its protocol: endpoint, headers, timeout, certificates. */
async function exporterOf(protocol: LogExportConfig['protocol']): Promise<LogRecordExporter> {
  switch (protocol) {
    case 'grpc':
      return new (await import('@opentelemetry/exporter-logs-otlp-grpc')).OTLPLogExporter()
    case 'http/protobuf':
      return new (await import('@opentelemetry/exporter-logs-otlp-proto')).OTLPLogExporter()
    case 'http/json':
      return new (await import('@opentelemetry/exporter-logs-otlp-http')).OTLPLogExporter()
  }
}

/** The event is the name and the body too, for those who show nothing else. */
function recordOf({ time, level, event, trace_id, span_id, error, ...fields }: Line): LogRecord {
  return {
    timestamp: Date.parse(time),
    severityNumber: severities[level],
    severityText: level.toUpperCase(),
    eventName: event,
    body: event,
    attributes: { ...fields, ...exceptionOf(error) } as NonNullable<LogRecord['attributes']>,
    context:
      typeof trace_id === 'string' && typeof span_id === 'string'
        ? // The line does not say whether the trace is sampled.
          trace.setSpanContext(ROOT_CONTEXT, { traceId: trace_id, spanId: span_id, traceFlags: TraceFlags.NONE })
        : ROOT_CONTEXT,
  }
}

const severities: Readonly<Record<Level, SeverityNumber>> = {
  debug: SeverityNumber.DEBUG,
  info: SeverityNumber.INFO,
  warn: SeverityNumber.WARN,
  error: SeverityNumber.ERROR,
}

/** An error as the conventions have it; what is none stays as it is. */
function exceptionOf(error: unknown): Readonly<Record<string, unknown>> {
  if (error === undefined) return {}
  if (typeof error !== 'object' || error === null || !('stack' in error)) return { error }
  const { message, stack, code, cause } = error as {
    message?: unknown
    stack: unknown
    code?: unknown
    cause?: unknown
  }
  return {
    [names.exceptionMessage]: message,
    [names.exceptionStacktrace]: stack,
    ...(code !== undefined && { [names.errorType]: String(code) }),
    ...(cause !== undefined && { [names.errorCause]: cause }),
  }
}
