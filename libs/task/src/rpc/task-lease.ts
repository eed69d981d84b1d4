/** What an executor gets of a task that it has claimed. */
import { durationFromMs } from '@bufbuild/protobuf/wkt'
import type { Lease } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import { leaseMs } from '@millhand/lease'
import { attributes, spans, startSpan, traceparentOf } from '@millhand/telemetry'
import type { Inputs } from '../inputs.ts'
import { acceptedAt, type TaskBase } from '../task.ts'

/** A task's lease with its input; undefined where that is not in the store any more. */
export async function leaseWithInput(inputs: Inputs, task: TaskBase): Promise<Lease | undefined> {
  const input = await inputs.read(task)
  return input === undefined ? undefined : leaseOf(task, input)
}

/** The lease of a task that is claimed, with its input as text; what comes beside that is its kind's to add. */
export const leaseOf = (task: TaskBase, input: string): Lease => ({
  $typeName: 'millhand.lease.v1.Lease',
  id: task.lease_id,
  tenant: task.tenant,
  workId: task.id,
  attempt: task.attempt,
  ttl: leaseTtl,
  runTimeout: durationFromMs(task.run_timeout_s * 1000),
  input,
  files: [],
  ...(task.parameters && { parameters: task.parameters as NonNullable<Lease['parameters']> }),
  ...claimed(task),
})

/** How long a lease holds, unless renewed. */
export const leaseTtl = durationFromMs(leaseMs)

/** The context of the run: within the span of the wait that ends with this lease, where the trace is sampled. */
function claimed(task: TaskBase): Pick<Lease, 'traceparent'> {
  const { traceparent, id, pool, attempt, history } = task
  if (traceparent === undefined) return {}
  const startedAt = history.findLast(({ status }) => status === 'queued')?.at ?? acceptedAt(task)
  const named = { [attributes.taskId]: id, [attributes.pool]: pool, [attributes.attempt]: attempt }
  const span = startSpan(spans.queue, traceparent, { kind: 'consumer', startedAt, attributes: named })
  span?.end()
  return { traceparent: span === undefined ? traceparent : traceparentOf(span.context) }
}
