/**
 * Prometheus' text as OpenMetrics, which has exemplars: https://prometheus.io/docs/specs/om/open_metrics_spec/.
 * OpenTelemetry's serializer writes neither.
 */
import type { Exemplar, Family, Series } from './recorded.ts'

/** `text` is what the serializer has made of the families: the buckets of each are in it in their order. */
export function openMetricsText(text: string, families: readonly Family[]): string {
  const exemplars: Exemplars = new Map(families.map(({ name, series }) => [name, series.flatMap(ofBuckets).values()]))
  const lines = text
    .split('\n')
    .flatMap(line => (line.startsWith('#') ? metadataOf(line) : line === '' ? [] : [sampleOf(line, exemplars)]))
  return [...lines, '# EOF', ''].join('\n')
}

/** By the name of the histogram, those of its buckets in turn. */
type Exemplars = ReadonlyMap<string, Iterator<Exemplar | undefined>>

const ofBuckets = ({ counts, exemplars }: Series) => counts.map((_, at) => exemplars[at])

/** A counter is called as its samples without `_total`, and a unit is the last word of the name or is left out. */
function metadataOf(line: string): string[] {
  const [, word, name, rest = ''] = /^# (HELP|UNIT|TYPE) (\w+?)(?:_total)? (.*)$/.exec(line) ?? []
  if (word === undefined || name === undefined) return []
  if (word !== 'UNIT') return [`# ${word} ${name} ${word === 'HELP' ? rest.replaceAll('"', '\\"') : rest}`]
  const unit = units[rest]
  return unit !== undefined && name.endsWith(`_${unit}`) ? [`# UNIT ${name} ${unit}`] : []
}

const units: Readonly<Record<string, string>> = { s: 'seconds', By: 'bytes', '1': 'ratio' }

function sampleOf(line: string, exemplars: Exemplars): string {
  const [, name] = /^(\w+)_bucket\{/.exec(line) ?? []
  if (name === undefined) return line
  // Bounds are written as floating-point numbers.
  const sample = line.replace(/(?<=[{,]le="\d+)(?="\} )/, '.0')
  const exemplar: Exemplar | undefined = exemplars.get(name)?.next().value
  if (exemplar === undefined) return sample
  const { trace, value, at } = exemplar
  return `${sample} # {trace_id="${trace.traceId}",span_id="${trace.spanId}"} ${value} ${at / 1000}`
}
