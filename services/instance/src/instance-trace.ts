/** The traces of instances: of the request that asks for something, until the instance is as it asked. */
import type { ContextValues } from '@connectrpc/connect'
import { traceKey } from '@millhand/rpc'
import { attributes, type Span, spans, startSpan, traceparentOf } from '@millhand/telemetry'
import type { InstanceRecord } from './instance.ts'

type Traced = Pick<InstanceRecord, 'id' | 'traceparent'>

/** What a record keeps of the trace of a call; nothing where traces are off. */
export function tracedBy(values: ContextValues): Pick<InstanceRecord, 'traceparent'> {
  const trace = values.get(traceKey)
  return trace === undefined ? {} : { traceparent: traceparentOf(trace) }
}

/** A step of the reconciler, which stores what comes of `cause`. */
export const stepSpan = ({ id, traceparent }: Traced, cause: string): Span | undefined =>
  startSpan(spans.reconcile, traceparent, { attributes: { [attributes.instanceId]: id, [attributes.cause]: cause } })

/** A call of the engine about a replica of an instance. */
export const engineSpan = (
  name: typeof spans.startReplica | typeof spans.removeReplica,
  { id, traceparent }: Traced,
  replica: string,
): Span | undefined =>
  startSpan(name, traceparent, {
    kind: 'client',
    attributes: { [attributes.instanceId]: id, [attributes.replica]: replica },
  })
