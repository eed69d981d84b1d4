/**
 * The spans of batches. Its tasks are not in the trace of the request that has made it, which would have hundreds of
 * thousands of spans: those that are made together have a trace of their own, and both are linked to each other.
 */
import {
  attributes,
  parseTraceContext,
  spans,
  startSpan,
  startTrace,
  type TraceContext,
  within,
} from '@millhand/telemetry'
import type { BatchRecord } from './batch.ts'

/** Makes so many tasks of the batch by `add`, which gets the trace that they are in. */
export async function addingTasks<T>(
  { id, traceparent }: BatchRecord,
  tasks: number,
  add: (trace: TraceContext | undefined) => Promise<T>,
): Promise<T> {
  const trace = parseTraceContext(traceparent)
  if (!trace?.isSampled) return await add(trace)
  const named = { attributes: { [attributes.batchId]: id, [attributes.batchSize]: tasks } }
  const own = startTrace(spans.batchTasks, trace, named)
  const inBatch = startSpan(spans.addTasks, trace, { ...named, links: own === undefined ? [] : [own.context] })
  return await within(inBatch, within(own, add(own?.context ?? trace)))
}

/** Settles as the work does, which ends the batch. */
export const endingBatch = <T>({ id, traceparent }: BatchRecord, work: Promise<T>): Promise<T> =>
  within(startSpan(spans.endBatch, traceparent, { attributes: { [attributes.batchId]: id } }), work)
