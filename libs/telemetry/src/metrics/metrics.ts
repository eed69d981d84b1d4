/**
 * What a process counts and measures. Recording adds to plain numbers; OpenTelemetry's SDK, which makes the text of
 * `/metrics` from them, is loaded by the first scrape. Why: docs/decisions/metrics.md
 */
import type { Log } from '../log.ts'
import type { TraceContext } from '../tracing/trace-context.ts'
import { type Labels, type MetricName, metricSpecs } from './metric-specs.ts'
import type { MetricsFormat } from './metrics-format.ts'
import { openMetricsText } from './open-metrics.ts'
import { type Family, Recorded, record } from './recorded.ts'

/** One value that is read when metrics are. */
export type Sample = {
  [Name in MetricName<'gauge' | 'counter'>]: {
    readonly name: Name
    readonly labels: Labels<Name>
    readonly value: number
  }
}[MetricName<'gauge' | 'counter'>]

type Add = (by?: number) => void
export type RecordValue = (value: number, trace?: TraceContext) => void

export interface Metrics {
  /** Counts one more, or `by` more, each time the function is called. */
  counter<Name extends MetricName<'counter'>>(name: Name): (labels: Labels<Name>, by?: number) => void
  /** The same of one series, for hot paths: a call is one addition. */
  boundCounter<Name extends MetricName<'counter'>>(name: Name, labels: Labels<Name>): Add
  /** Adds a value each time the function is called. A value of a sampled trace is an exemplar. */
  histogram<Name extends MetricName<'histogram'>>(
    name: Name,
  ): (labels: Labels<Name>, value: number, trace?: TraceContext) => void
  /** The same of one series, for hot paths. */
  boundHistogram<Name extends MetricName<'histogram'>>(name: Name, labels: Labels<Name>): RecordValue
  /**
   * `read` is called whenever metrics are read, until the returned call. Where it fails, what it tells is left out. Samples of
   * one series are added up.
   */
  observe(read: () => readonly Sample[] | Promise<readonly Sample[]>): () => void
  /** All of it. The log hears what could not be read. */
  text(log: Pick<Log, 'warn'>, format?: MetricsFormat): Promise<string>
}

/** Those of this process. */
export const processMetrics: Metrics = createMetrics()

/** Others than the process's, for tests. */
export function createMetrics(): Metrics {
  const families = new Map<MetricName, Recorded>()
  const reads = new Set<() => readonly Sample[] | Promise<readonly Sample[]>>()
  const started = Date.now()

  const family = (name: MetricName): Recorded => {
    const known = families.get(name)
    if (known !== undefined) return known
    const made = new Recorded(metricSpecs[name])
    families.set(name, made)
    return made
  }

  async function read(log: Pick<Log, 'warn'>): Promise<readonly Family[]> {
    const reading = [...reads].map(async one => await one())
    const samples = (await Promise.allSettled(reading)).flatMap(result => {
      if (result.status === 'fulfilled') return result.value
      log.warn('metrics.not_read', { error: result.reason })
      return []
    })
    const observed = new Map<MetricName, Recorded>()
    for (const { name, labels, value } of samples) {
      const found = observed.get(name) ?? new Recorded(metricSpecs[name], false)
      observed.set(name, found)
      found.series(labels).value += value
    }
    return [...families, ...observed].map(([name, { spec, all }]) => ({ name, spec, series: [...all.values()] }))
  }

  return {
    counter(name) {
      const recorded = family(name)
      return (labels, by = 1) => {
        recorded.series(labels).value += by
      }
    },
    boundCounter(name, labels) {
      const series = family(name).series(labels)
      return (by = 1) => {
        series.value += by
      }
    },
    histogram(name) {
      const recorded = family(name)
      return (labels, value, trace) => record(recorded.series(labels), recorded.buckets, value, trace)
    },
    boundHistogram(name, labels) {
      const recorded = family(name)
      const series = recorded.series(labels)
      return (value, trace) => record(series, recorded.buckets, value, trace)
    },
    observe(one) {
      reads.add(one)
      return () => void reads.delete(one)
    },
    async text(log, format = 'prometheus') {
      const { prometheusText } = await import('./prometheus-text.ts')
      const families = await read(log)
      const text = await prometheusText(families, started)
      return format === 'openmetrics' ? openMetricsText(text, families) : text
    },
  }
}
