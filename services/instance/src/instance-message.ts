/** An instance as REST and events show it. */
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { modeOfWord, priceOf } from '@millhand/api'
import {
  type Instance,
  type InstanceEvent,
  InstanceStatus,
  type Replica,
  ReplicaStatus,
} from '@millhand/api/gen/millhand/instance/v1/instance_pb.ts'
import type { InstanceUsage } from '@millhand/api/gen/millhand/instance/v1/instance_usage_pb.ts'
import type { Money } from '@millhand/api/gen/millhand/type/v1/money_pb.ts'
import type { Prices } from '@millhand/plans'
import type { HistoryEntry, InstanceRecord, Slot } from './instance.ts'
import type { Slice } from './metering.ts'

const statuses = {
  pending: InstanceStatus.PENDING,
  provisioning: InstanceStatus.PROVISIONING,
  running: InstanceStatus.RUNNING,
  scaling: InstanceStatus.SCALING,
  degraded: InstanceStatus.DEGRADED,
  terminating: InstanceStatus.TERMINATING,
  terminated: InstanceStatus.TERMINATED,
  failed: InstanceStatus.FAILED,
} as const

const slotStates = {
  pending: ReplicaStatus.PENDING,
  starting: ReplicaStatus.STARTING,
  running: ReplicaStatus.RUNNING,
  exited: ReplicaStatus.EXITED,
  unknown: ReplicaStatus.UNKNOWN,
  stopping: ReplicaStatus.STOPPING,
} as const

export type HourlyPrices = Pick<Prices, 'computeSecond'>

export const instanceMessage = (instance: InstanceRecord, prices: HourlyPrices): Instance => ({
  $typeName: 'millhand.instance.v1.Instance',
  id: instance.id,
  gpu: instance.gpu,
  image: instance.image,
  status: statuses[instance.status],
  mode: modeOfWord(instance.mode),
  desired: { $typeName: 'millhand.instance.v1.DesiredState', ...instance.desired },
  replicas: instance.slots.map(replicaMessage),
  command: [...instance.command],
  ports: [...instance.ports],
  metadata: { ...instance.metadata },
  createdAt: timestampFromMs(instance.created_at),
  updatedAt: timestampFromMs(instance.updated_at),
  hourlyPrice: hourlyPrice(instance.gpu, prices, instance.created_at),
  resourceVersion: instance.resource_version,
  ...(instance.name !== undefined && { name: instance.name }),
  ...(instance.reason !== undefined && { reason: instance.reason }),
  ...(instance.message !== undefined && { message: instance.message }),
  ...(instance.volume_gb !== undefined && { volumeGb: instance.volume_gb }),
  ...(instance.max_lifetime_s !== undefined && { maxLifetimeS: instance.max_lifetime_s }),
  ...(instance.expires_at !== undefined && { expiresAt: timestampFromMs(instance.expires_at) }),
  ...(instance.terminated_at !== undefined && { terminatedAt: timestampFromMs(instance.terminated_at) }),
})

const replicaMessage = (slot: Slot): Replica => ({
  $typeName: 'millhand.instance.v1.Replica',
  index: slot.index,
  status: slotStates[slot.state],
  ports: (slot.state === 'running' ? (slot.ports ?? []) : []).map(({ port, hostPort = 0 }) => ({
    $typeName: 'millhand.instance.v1.ReplicaPort',
    ...{ port, hostPort },
  })),
  restarts: slot.restarts,
  ...(slot.state === 'running' && slot.address !== undefined && { address: slot.address }),
  ...(slot.state === 'running' && slot.started_at !== undefined && { startedAt: timestampFromMs(slot.started_at) }),
  ...(slot.exit_code !== undefined && { exitCode: slot.exit_code }),
  ...(slot.reason !== undefined && { reason: slot.reason }),
})

export const eventMessage = (instance: InstanceRecord, entry: HistoryEntry): InstanceEvent => ({
  $typeName: 'millhand.instance.v1.InstanceEvent',
  sequence: entry.sequence,
  type: entry.type,
  instanceId: instance.id,
  createdAt: timestampFromMs(entry.at),
  ...(entry.replica !== undefined && { replica: entry.replica }),
  ...(entry.reason !== undefined && { reason: entry.reason }),
  ...(entry.message !== undefined && { message: entry.message }),
  ...(entry.exit_code !== undefined && { exitCode: entry.exit_code }),
})

export const usageMessage = (
  instance: InstanceRecord,
  { index, generation, from, to }: Slice,
  prices: HourlyPrices,
): InstanceUsage => ({
  $typeName: 'millhand.instance.v1.InstanceUsage',
  instanceId: instance.id,
  replica: index,
  generation,
  gpu: instance.gpu,
  startedAt: timestampFromMs(from),
  endedAt: timestampFromMs(to),
  runMs: to - from,
  hourlyPrice: hourlyPrice(instance.gpu, prices, from),
})

/** The price of an hour of a replica: that of 3,600 seconds of compute on its GPU type. */
const hourlyPrice = (gpu: string, prices: HourlyPrices, at: number): Money =>
  dollars(priceOf(prices.computeSecond(gpu, '', at) * 3_600))

const dollars = (amount: string): Money => ({ $typeName: 'millhand.type.v1.Money', amount, currency: 'USD' })
