/** What a process counts and measures, as Prometheus reads it. Why our own: docs/decisions/metrics.md */
import type { Log } from '../log.ts'
import { type Labels, type MetricName, type MetricSpec, metricSpecs } from './metric-specs.ts'

/** One value of a gauge. */
export type GaugeSample = {
  [Name in MetricName<'gauge'>]: { readonly name: Name; readonly labels: Labels<Name>; readonly value: number }
}[MetricName<'gauge'>]

export interface Metrics {
  /** Counts one more of it, or `by` more, each time the function is called. */
  counter<Name extends MetricName<'counter'>>(name: Name): (labels: Labels<Name>, by?: number) => void
  /** Adds a value, each time the function is called. */
  histogram<Name extends MetricName<'histogram'>>(name: Name): (labels: Labels<Name>, value: number) => void
  /** `read` is asked whenever metrics are. Where it fails, what it tells is left out. */
  gauges(read: () => Promise<readonly GaugeSample[]>): void
  /** All of it, in the text format of Prometheus. */
  text(): Promise<string>
}

/** https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format */
export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8'

export function createMetrics(log: Pick<Log, 'warn'>): Metrics {
  const written: { readonly name: MetricName; readonly lines: () => readonly string[] }[] = []
  const reads: (() => Promise<readonly GaugeSample[]>)[] = []

  return {
    counter(name) {
      const counts = new Map(seriesOf(name).map(series => [series, 0]))
      written.push({ name, lines: () => [...counts].map(([series, count]) => `${name}${braced(series)} ${count}`) })
      return (labels, by = 1) => {
        const series = seriesWith(labels)
        counts.set(series, (counts.get(series) ?? 0) + by)
      }
    },
    histogram(name) {
      const { buckets } = metricSpecs[name]
      const all = new Map(seriesOf(name).map(series => [series, emptyHistogram(buckets)]))
      written.push({ name, lines: () => [...all].flatMap(([series, counts]) => histogramLines(name, series, counts)) })
      return (labels, value) => {
        const counts = all.get(seriesWith(labels))
        if (counts) add(counts, value)
      }
    },
    gauges: read => void reads.push(read),
    async text() {
      const samples = await Promise.all(
        reads.map(read =>
          read().catch(error => {
            log.warn('metrics.not_read', { error })
            return []
          }),
        ),
      )
      const gauges = Map.groupBy(samples.flat(), ({ name }) => name)
      const families = [
        ...[...gauges].map(([name, of]) => ({
          name,
          lines: of.map(({ labels, value }) => `${name}${braced(seriesWith(labels))} ${value}`),
        })),
        ...written.map(({ name, lines }) => ({ name, lines: lines() })),
      ]
      return families.map(family).join('')
    },
  }
}

const family = ({ name, lines }: { readonly name: MetricName; readonly lines: readonly string[] }): string => {
  const { kind, help } = metricSpecs[name]
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`, ...lines, ''].join('\n')
}

/** `mode="live",outcome="failed"`. Names and values are those of `names.ts`, which need no escaping. */
const seriesWith = (labels: Readonly<Record<string, string>>): string =>
  Object.keys(labels)
    .sort()
    .map(label => `${label}="${labels[label]}"`)
    .join(',')

const braced = (series: string): string => (series === '' ? '' : `{${series}}`)

/** All that there can be: each is there from the beginning, so that its first count is seen as one more. */
function seriesOf(name: MetricName): string[] {
  const { labels }: MetricSpec = metricSpecs[name]
  let all: Readonly<Record<string, string>>[] = [{}]
  for (const [label, values] of Object.entries(labels)) {
    all = all.flatMap(some => values.map(value => ({ ...some, [label]: value })))
  }
  return all.map(seriesWith)
}

interface HistogramCounts {
  readonly buckets: readonly number[]
  /** Of each bucket those that no smaller one holds; the last holds what is beyond all. */
  readonly counts: number[]
  sum: number
}

const emptyHistogram = (buckets: readonly number[]): HistogramCounts => ({
  buckets,
  counts: Array(buckets.length + 1).fill(0),
  sum: 0,
})

function add(histogram: HistogramCounts, value: number): void {
  const { buckets, counts } = histogram
  const found = buckets.findIndex(bound => value <= bound)
  const at = found === -1 ? buckets.length : found
  counts[at] = (counts[at] ?? 0) + 1
  histogram.sum += value
}

function histogramLines(name: MetricName, series: string, { buckets, counts, sum }: HistogramCounts): string[] {
  const before = series === '' ? '' : `${series},`
  let total = 0
  const lines = counts.map((count, at) => {
    total += count
    return `${name}_bucket{${before}le="${buckets[at] ?? '+Inf'}"} ${total}`
  })
  return [...lines, `${name}_sum${braced(series)} ${sum}`, `${name}_count${braced(series)} ${total}`]
}
