import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt'
import type { HandlerContext } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import type { InstanceLog, WatchInstanceLogsRequest } from '@millhand/api/gen/millhand/instance/v1/instance_log_pb.ts'
import { InstanceService } from '@millhand/api/gen/millhand/instance/v1/instance_service_pb.ts'
import { forwardStreamToOwner } from '@millhand/lease'
import { principal } from '@millhand/rpc'
import { type Driver, DriverFault, type LogLine } from '../drivers/driver.ts'
import { type InstanceRecord, isEnding, replicaName, requireInstance, type Slot } from '../instance.ts'
import type { InstanceDeps } from '../instance-deps.ts'

/** How often a reader that follows looks for the next start of a replica that has ended. */
const LOOK_MS = 500

/**
 * The lines of a replica. A line's `sequence` is its time in microseconds, and one more than the line before where that
 * has reached it: so a reader that comes back with it gets what it had not, from any owner of the service.
 */
export const watchInstanceLogs = (deps: InstanceDeps) =>
  forwardStreamToOwner(deps.replicas, InstanceService.method.watchInstanceLogs, (req, call, signal) =>
    linesOf(deps, req, call, signal),
  )

async function* linesOf(
  { instances, drivers, clock }: InstanceDeps,
  req: WatchInstanceLogsRequest,
  call: HandlerContext,
  signal: AbortSignal,
): AsyncGenerator<InstanceLog> {
  const { tenant, mode } = principal(call)
  const { id, replica = 0, follow = false } = req
  const after = req.after === undefined ? 0 : Number(req.after)
  let sequence = after > 0 ? Math.floor(after / 1_000) * 1_000 - 1 : 0
  let read: Slot | undefined
  for (;;) {
    const instance = await requireInstance(instances, tenant, id)
    const slot = instance.slots.find(({ index, generation }) => index === replica && generation > 0)
    if (slot === undefined && replica >= instance.desired.replicas && !isEnding(instance))
      throw fail('invalid_parameter', `There is no replica ${replica}.`, { param: 'replica' })
    const driver = drivers[mode]
    if (slot !== undefined && slot.generation !== read?.generation && driver !== undefined) {
      const isFirst = read === undefined
      let isRead = false
      for await (const line of replicaLines(driver, instance, slot, optionsOf(req, isFirst), signal)) {
        isRead = true
        sequence = Math.max(sequence + 1, line.at * 1_000)
        if (sequence > after) yield message(id, replica, sequence, line)
      }
      if (isRead || slot.state !== 'starting') read = slot
    }
    if (!follow || instance.work === 'done' || signal.aborted) return
    await clock.sleep(LOOK_MS, signal)
  }
}

function optionsOf({ follow = false, tail, since, after }: WatchInstanceLogsRequest, isFirst: boolean) {
  // Lines that share a millisecond with the last one are read again, and left out by their number.
  const from = after !== undefined && after > 0n ? Math.floor(Number(after) / 1_000) : since && timestampMs(since)
  return {
    follow,
    ...(from !== undefined && { since: from }),
    ...(isFirst && tail !== undefined && !after && { tail }),
  }
}

/** None of a replica that is not there, or not there yet. */
async function* replicaLines(
  driver: Driver,
  { id }: InstanceRecord,
  slot: Slot,
  options: Parameters<Driver['logs']>[1],
  signal: AbortSignal,
): AsyncGenerator<LogLine> {
  try {
    yield* driver.logs(replicaName(id, slot), options, signal)
  } catch (error) {
    if (!(error instanceof DriverFault)) throw error
    if (error.reason === 'not_found') return
    throw fail('unavailable', 'The container engine does not answer.', { retryAfterS: 1, cause: error })
  }
}

const message = (
  instanceId: string,
  replica: number,
  sequence: number,
  { at, stream, text }: LogLine,
): InstanceLog => ({
  $typeName: 'millhand.instance.v1.InstanceLog',
  sequence: BigInt(sequence),
  type: 'instance.log',
  ...{ instanceId, replica, stream, text },
  createdAt: timestampFromMs(at),
})
