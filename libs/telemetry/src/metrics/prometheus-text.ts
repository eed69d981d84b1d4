/** The text of `/metrics`, by OpenTelemetry's SDK. Loading this file loads the SDK: at the first scrape, and not before. */
import { ValueType } from '@opentelemetry/api'
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import { emptyResource } from '@opentelemetry/resources'
import {
  AggregationTemporality,
  DataPointType,
  MeterProvider,
  type MetricData,
  type MetricProducer,
  MetricReader,
} from '@opentelemetry/sdk-metrics'
import type { Family, Series } from './recorded.ts'

/** `started`: since when counters count, in milliseconds since 1970. */
export async function prometheusText(families: readonly Family[], started: number): Promise<string> {
  const reader = new Scrape({ metricProducers: [producerOf(families, started)] })
  const provider = new MeterProvider({ readers: [reader] })
  const { resourceMetrics, errors } = await reader.collect()
  await provider.shutdown()
  if (errors.length > 0) throw errors[0]
  return new PrometheusSerializer('', false, undefined, true, true).serialize(resourceMetrics)
}

/** Reads when it is told to. */
class Scrape extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

/** What the process has recorded, as the SDK has it: https://opentelemetry.io/docs/specs/otel/metrics/sdk/#metricproducer */
const producerOf = (families: readonly Family[], started: number): MetricProducer => ({
  async collect() {
    const times = { startTime: hrTime(started), endTime: hrTime(Date.now()) }
    const metrics = families.filter(({ series }) => series.length > 0).map(family => metricOf(family, times))
    return {
      resourceMetrics: { resource: emptyResource(), scopeMetrics: [{ scope: { name: 'millhand' }, metrics }] },
      errors: [],
    }
  },
})

type HrTime = [number, number]

const hrTime = (ms: number): HrTime => [Math.floor(ms / 1_000), (ms % 1_000) * 1e6]

function metricOf({ name, spec, series }: Family, times: { startTime: HrTime; endTime: HrTime }): MetricData {
  const { kind, help: description, unit } = spec
  const descriptor = { name, description, unit, valueType: ValueType.DOUBLE }
  const basic = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE }
  const points = <T>(numberOf: (one: Series) => T) =>
    series.map(one => ({ ...times, attributes: one.labels, value: numberOf(one) }))
  switch (kind) {
    case 'counter':
      return { ...basic, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: points(({ value }) => value) }
    case 'gauge':
      return { ...basic, dataPointType: DataPointType.GAUGE, dataPoints: points(({ value }) => value) }
    case 'histogram': {
      const boundaries = [...(spec.buckets ?? [])]
      return {
        ...basic,
        dataPointType: DataPointType.HISTOGRAM,
        dataPoints: points(({ counts, sum }) => ({
          buckets: { boundaries, counts },
          count: counts.reduce((all, some) => all + some, 0),
          sum,
        })),
      }
    }
  }
}
