/** The spans of runs: one for each lease, in the trace of its task. Where a run has more leases, each is linked to the others. */
import type { Lease, Result, Run } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import {
  attributes,
  linksTo,
  parseTraceContext,
  type Span,
  spans,
  startSpan,
  traceparentOf,
  tracer,
} from '@millhand/telemetry'
import { type HeldLease, holdLease } from './lease.ts'

/** Holds the leases of a run. `begunAt`: as for `holdLease`. */
export function holdLeases({ group, leases }: Run, begunAt: number): HeldLease[] {
  if (tracer() === undefined) return leases.map(lease => holdLease(lease, begunAt))
  const traces = leases.map(({ traceparent }) => parseTraceContext(traceparent))
  return leases.map((lease, at) => {
    const span = startSpan(spans.run, traces[at], {
      kind: 'consumer',
      attributes: { ...namesOf(lease), [attributes.model]: group, [attributes.batchSize]: leases.length },
      links: linksTo(traces, at),
    })
    const within = span === undefined ? lease : { ...lease, traceparent: traceparentOf(span.context) }
    return holdLease(within, begunAt, span)
  })
}

const namesOf = ({ workId, attempt }: Lease) => ({ [attributes.taskId]: workId, [attributes.attempt]: attempt })

/** The result is taken or refused; undefined where there is none. */
export function endRun({ span, stop }: HeldLease, result: Result | undefined): void {
  if (span === undefined) return
  const { outcome } = result ?? {}
  span.set({ [attributes.outcome]: outcome?.case ?? stop ?? 'lost' })
  if (outcome?.case === 'failure') span.end(outcome.value.code)
  else span.end()
}

/** The spans of what a process begins to compute: one for each lease whose trace is sampled. */
export const childSpans = (running: readonly HeldLease[]): readonly (Span | undefined)[] =>
  running.map(({ span }) => span && startSpan(spans.childProcess, span.context))
