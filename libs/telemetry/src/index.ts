export { createLog, type EventName, type Fields, type Log, type LogOptions } from './log.ts'
export { lineExporter } from './log-export/line-exporter.ts'
export { type Level, levels } from './log-line.ts'
export { isOpen, type MetricSpec, metricSpecs } from './metrics/metric-specs.ts'
export { createMetrics, type Metrics, processMetrics, type RecordValue, type Sample } from './metrics/metrics.ts'
export { metricsContentTypes, metricsFormat } from './metrics/metrics-format.ts'
export { observeRuntime } from './metrics/runtime-metrics.ts'
export { standardError, standardOutput } from './output/standard.ts'
export { startTelemetry } from './start-telemetry.ts'
export { attributes, spans } from './tracing/span-names.ts'
export {
  linksTo,
  parseTraceContext,
  type TraceContext,
  traceIds,
  traceIdsOfAll,
  traceparentOf,
} from './tracing/trace-context.ts'
export {
  type Span,
  type SpanDescription,
  setTracer,
  startSpan,
  startTrace,
  type Tracer,
  tracer,
  within,
} from './tracing/tracer.ts'
