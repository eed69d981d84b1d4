/** The figures of a run beside a hostile tenant, each with its limit. */
import type { HostileRun } from './run.ts'

export interface Figure {
  readonly name: string
  readonly value: string
  readonly limit: string
  readonly isWithin: boolean
}

/** Far above what the server needs, and far below what one account once made it take (1,761 MiB). */
export const MOST_MIB = 1_024
/** What a hostile tenant's longest run may take of the processor: a task waits for one of them at most. */
const ONE_RUN_MS = 60_000

export function figuresOf({ alone, beside, peakMib, misbilled }: HostileRun): Figure[] {
  const [getAlone, getBeside] = [quantile(alone.gets, 0.99), quantile(beside.gets, 0.99)]
  const slowest = (kind: 'digits' | 'sentiments') => {
    const [before, after] = [Math.max(...alone[kind]), Math.max(...beside[kind])]
    return figure(`slowest task of ${kind}, ms`, after, before + ONE_RUN_MS, `alone ${before.toFixed(0)}`)
  }
  return [
    figure('GET p99, ms', getBeside, 10 * getAlone, `alone ${getAlone.toFixed(1)}`),
    figure('GET p50, ms', quantile(beside.gets, 0.5), 10 * getAlone, `alone ${quantile(alone.gets, 0.5).toFixed(1)}`),
    slowest('digits'),
    slowest('sentiments'),
    figure('calls and tasks that failed', alone.failures.length + beside.failures.length, 0),
    figure('calls answered 503 or 504', alone.repeats + beside.repeats, 0),
    figure('tasks billed wrongly', misbilled.length, 0),
    figure('memory of the server, MiB', peakMib, MOST_MIB),
  ]
}

function figure(name: string, value: number, limit: number, note = ''): Figure {
  const shown = `at most ${Math.round(limit)}${note === '' ? '' : ` (${note})`}`
  return { name, value: value.toFixed(value < 10 ? 1 : 0), limit: shown, isWithin: value <= limit }
}

const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0
