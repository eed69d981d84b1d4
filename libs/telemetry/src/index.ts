export { type Level, levels } from './line.ts'
export { createLog, type EventName, type Fields, type Log, type LogOptions } from './log.ts'
export { createMetrics, type GaugeSample, type Metrics, metricsContentType } from './metrics/metrics.ts'
export { type MetricSpec, metricSpecs } from './metrics/names.ts'
