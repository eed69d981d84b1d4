/** What is recorded of a metric: plain numbers, by series. */
import type { TraceContext } from '../tracing/trace-context.ts'
import { isOpen, type MetricName, type MetricSpec } from './metric-specs.ts'

/** A metric with its series. */
export interface Family {
  readonly name: MetricName
  readonly spec: MetricSpec
  readonly series: readonly Series[]
}

export interface Series {
  readonly labels: Readonly<Record<string, string>>
  /** Of a counter or a gauge. */
  value: number
  /** Of a histogram: how many values each bucket has that no smaller one has; the last has what is beyond all bounds. */
  readonly counts: number[]
  sum: number
  /** Of a histogram: of each bucket the latest value that came with a trace that is kept. */
  readonly exemplars: (Exemplar | undefined)[]
}

/** One value of a bucket, and the trace in which to see why it was so. */
export interface Exemplar {
  readonly value: number
  readonly trace: TraceContext
  /** When it was recorded, in milliseconds since 1970. */
  readonly at: number
}

/** Of one metric, so that labels with an open set of values can't fill the memory: those beyond share the value `other`. */
export const MOST_SERIES = 2_000

export class Recorded {
  readonly spec: MetricSpec
  readonly buckets: readonly number[]
  readonly all = new Map<string, Series>()
  readonly #names: readonly string[]

  /** `isWhole`: every series that is known before is there from the beginning, so that its first count is seen as one more. */
  constructor(spec: MetricSpec, isWhole = true) {
    this.spec = spec
    this.buckets = spec.buckets ?? []
    this.#names = Object.keys(spec.labels)
    if (isWhole) for (const labels of closedSeries(spec)) this.series(labels)
  }

  series(labels: Readonly<Record<string, string>>): Series {
    const key = this.#keyOf(labels)
    return this.all.get(key) ?? this.#make(key, labels)
  }

  #keyOf(labels: Readonly<Record<string, string>>): string {
    const [first = '', ...others] = this.#names
    let key = labels[first] ?? ''
    for (const name of others) key += `\n${labels[name]}`
    return key
  }

  #make(key: string, labels: Readonly<Record<string, string>>): Series {
    if (this.all.size >= MOST_SERIES) {
      const rest = Object.fromEntries(
        this.#names.map(name => [name, isOpen(this.spec.labels[name]) ? 'other' : (labels[name] ?? '')]),
      )
      const known = this.all.get(this.#keyOf(rest))
      if (known !== undefined) return known
      return this.#put(this.#keyOf(rest), rest)
    }
    return this.#put(key, labels)
  }

  #put(key: string, labels: Readonly<Record<string, string>>): Series {
    const counts: number[] = this.spec.kind === 'histogram' ? Array(this.buckets.length + 1).fill(0) : []
    const series = {
      labels: Object.fromEntries(this.#names.map(name => [name, labels[name] ?? ''])),
      value: 0,
      counts,
      sum: 0,
      exemplars: [],
    }
    this.all.set(key, series)
    return series
  }
}

/** All that there can be; none where a label's values are not known before. */
function closedSeries({ labels }: MetricSpec): Readonly<Record<string, string>>[] {
  let all: Readonly<Record<string, string>>[] = [{}]
  for (const [label, values] of Object.entries(labels)) {
    if (isOpen(values)) return []
    all = all.flatMap(some => values.map(value => ({ ...some, [label]: value })))
  }
  return all
}

/** Counts a value in its bucket; it is the bucket's exemplar where `trace` is sampled. */
export function record(series: Series, buckets: readonly number[], value: number, trace?: TraceContext): void {
  let at = 0
  while (at < buckets.length && value > (buckets[at] as number)) at++
  series.counts[at] = (series.counts[at] as number) + 1
  series.sum += value
  if (trace?.isSampled) series.exemplars[at] = { value, trace, at: Date.now() }
}
