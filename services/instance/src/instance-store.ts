/** Writes of instances: a compare-and-set, together with the events of the change and what is to be metered. */
import { type Ids, jsonWriter, publicEvent } from '@millhand/api'
import { InstanceSchema } from '@millhand/api/gen/millhand/instance/v1/instance_pb.ts'
import { InstanceUsageSchema } from '@millhand/api/gen/millhand/instance/v1/instance_usage_pb.ts'
import { publicTopics } from '@millhand/eventlog/public-topics'
import type { Clock } from '@millhand/process'
import type { Draft, OutboxEvent } from '@millhand/store'
import type { InstanceRecord, Instances } from './instance.ts'
import { type HourlyPrices, instanceMessage, usageMessage } from './instance-message.ts'
import type { Slice } from './metering.ts'
import { type Cause, type Transition, transition } from './transition.ts'

export interface InstanceStoreDeps {
  readonly instances: Instances
  readonly clock: Pick<Clock, 'now'>
  readonly ids: Ids
  readonly prices: HourlyPrices
  /** How long an instance is kept that has ended, in milliseconds. */
  readonly retentionMs: number
}

/** Stores a new instance; false where its id is taken. */
export async function insertInstance(deps: InstanceStoreDeps, document: Draft<InstanceRecord>): Promise<boolean> {
  const instance: InstanceRecord = { ...document, version: 1 }
  const events = [stateEvent(deps, instance, 'instance.pending', instance.resource_version)]
  return (await deps.instances.write({ kind: 'insert', document, events })).kind === 'written'
}

/** What a write came to: the instance as it is now; `undefined` where it is gone. */
export type Changed = InstanceRecord | undefined

/** Applies a cause to an instance as it is now; again, where another change came between. */
export async function changeInstance(
  deps: InstanceStoreDeps,
  tenant: string,
  id: string,
  cause: Cause,
): Promise<Changed> {
  let known = await deps.instances.get(tenant, id)
  while (known !== undefined) {
    const written = await writeTransition(deps, known, transition(known, cause, deps.retentionMs))
    if (written !== 'conflict') return written
    known = await deps.instances.get(tenant, id)
  }
  return undefined
}

/** Writes what a transition changes, if it is still what it was made from. */
export async function writeTransition(
  deps: InstanceStoreDeps,
  before: InstanceRecord,
  { instance, events: types, slices }: Transition,
): Promise<InstanceRecord | 'conflict'> {
  if (instance === before) return before
  const first = before.resource_version + 1
  // What reaches the goal is the last in its trace.
  const traced = { ...instance, traceparent: instance.traceparent ?? before.traceparent }
  const events = [
    ...types.map((type, at) => stateEvent(deps, traced, type, first + at)),
    ...slices.map(slice => usageEvent(deps, traced, slice)),
  ]
  const { version, ...document } = instance
  const result = await deps.instances.write({ kind: 'replace', version, document, events })
  return result.kind === 'written' ? { ...instance, version: result.version } : 'conflict'
}

const writeInstance = jsonWriter(InstanceSchema)
const writeUsage = jsonWriter(InstanceUsageSchema)

const stateEvent = (deps: InstanceStoreDeps, instance: InstanceRecord, type: string, version: number): OutboxEvent =>
  eventOf(deps, instance, type, version, writeInstance(instanceMessage(instance, deps.prices)))

const usageEvent = (deps: InstanceStoreDeps, instance: InstanceRecord, slice: Slice): OutboxEvent =>
  eventOf(
    deps,
    instance,
    'instance.metered',
    instance.resource_version,
    writeUsage(usageMessage(instance, slice, deps.prices)),
  )

const eventOf = (
  { clock, ids }: InstanceStoreDeps,
  instance: InstanceRecord,
  type: string,
  resourceVersion: number,
  object: string,
): OutboxEvent =>
  publicEvent({
    ...{ topic: publicTopics.instances.name, key: instance.id, id: ids('evt'), type, time: clock.now() },
    ...{ resourceVersion, object },
    accountId: instance.account_id,
    mode: instance.mode,
    requestId: instance.request_id,
    traceparent: instance.traceparent,
  })
