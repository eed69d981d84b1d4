/** What a pod says of its replica. Pure. */
import type { V1ContainerState, V1Node, V1Pod } from '@kubernetes/client-node'
import { DriverFault, type FaultReason, type ObservedReplica } from '../driver.ts'
import { FINALIZER, identityOf } from './labels.ts'

/** The cluster's nodes by name. */
export type Nodes = ReadonlyMap<string, V1Node>

export function observed(host: string, pod: V1Pod, nodes: Nodes): ObservedReplica {
  const base = { ...identityOf(pod.metadata ?? {}), host, ports: [] }
  const { running, terminated } = stateOf(pod)
  const startedAt = timeOf(terminated?.startedAt ?? running?.startedAt)
  if (terminated !== undefined) {
    const reason = exitReason(pod, terminated.reason)
    return {
      ...base,
      ...{ state: 'exited', exitCode: terminated.exitCode },
      ...(startedAt !== undefined && { startedAt }),
      ...optional('endedAt', timeOf(terminated.finishedAt)),
      ...(reason && { reason }),
    }
  }
  if (hasEnded(pod, nodes)) {
    // The node has not said when, and never will: until when it is known to have run is the least that it ran.
    return { ...base, ...optional('startedAt', startedAt), endedAt: lastKnown(pod, startedAt), ...lost }
  }
  if (isOnLostNode(pod, nodes)) return { ...base, ...optional('startedAt', startedAt), state: 'unknown' }
  return running === undefined
    ? { ...base, state: 'creating' }
    : { ...base, ...optional('startedAt', startedAt), state: 'running' }
}

const lost = { state: 'exited', reason: 'replica_lost' } as const

/** Whether nothing of it runs, and never will. */
export function hasEnded(pod: V1Pod, nodes: Nodes): boolean {
  const { phase } = pod.status ?? {}
  if (phase === 'Succeeded' || phase === 'Failed' || stateOf(pod).terminated !== undefined) return true
  const { nodeName } = pod.spec ?? {}
  const isDeleted = pod.metadata?.deletionTimestamp !== undefined
  if (nodeName === undefined) return isDeleted
  // A node that is no longer in the cluster is one that the operator has taken out.
  return !nodes.has(nodeName)
}

/** Whether nobody knows what it does. */
export function isOnLostNode(pod: V1Pod, nodes: Nodes): boolean {
  const node = nodes.get(pod.spec?.nodeName ?? '')
  return node?.status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'Unknown'
}

/** When the node says that its process ended, in milliseconds since 1970. */
export const endOf = (pod: V1Pod): number | undefined => timeOf(stateOf(pod).terminated?.finishedAt)

/** Whether its process has been started, or will not be. */
export const wasStarted = (pod: V1Pod): boolean => {
  const { running, terminated } = stateOf(pod)
  return running !== undefined || terminated !== undefined
}

export const isHeld = (pod: V1Pod): boolean => pod.metadata?.finalizers?.includes(FINALIZER) === true

function stateOf(pod: V1Pod): V1ContainerState {
  return pod.status?.containerStatuses?.[0]?.state ?? {}
}

function exitReason(pod: V1Pod, reason: string | undefined): ObservedReplica['reason'] {
  if (reason === 'OOMKilled') return 'out_of_memory'
  if (isUnstartable(reason)) return 'command_not_found'
  // Evicted, preempted, on a node that is shut down, or deleted by somebody else.
  const isDisrupted = pod.status?.reason !== undefined || pod.metadata?.deletionTimestamp !== undefined
  return isDisrupted ? 'replica_lost' : undefined
}

/** The runtime's reasons for a process that it could not start: containerd's and CRI-O's, and that of a kubelet before them. */
const isUnstartable = (reason: string | undefined): boolean =>
  reason === 'StartError' || reason === 'ContainerCannotRun'

function lastKnown(pod: V1Pod, startedAt: number | undefined): number {
  const left = pod.status?.conditions?.find(({ type, status }) => type === 'Ready' && status === 'False')
  const created = timeOf(pod.metadata?.creationTimestamp) ?? 0
  return Math.max(timeOf(left?.lastTransitionTime) ?? 0, startedAt ?? created)
}

/** Times are texts: the calls are ours, and the client's types are of what it would make of them. */
const timeOf = (time: unknown): number | undefined => (typeof time === 'string' ? Date.parse(time) : undefined)

const optional = <K extends string>(key: K, value: number | undefined) =>
  (value === undefined ? {} : { [key]: value }) as { [key in K]?: number }

type Rule = readonly [reasons: RegExp, message: RegExp, FaultReason, string]

/** What a node says of a container that waits (https://github.com/kubernetes/kubernetes/tree/master/pkg/kubelet/images). */
const WAITING: readonly Rule[] = [
  [/^InvalidImageName$/, /./, 'image_not_found', 'The image is not a valid reference.'],
  [/^ErrImageNeverPull$/, /./, 'image_not_found', 'The image is not there.'],
  [
    /Image/,
    /unauthorized|authentication required|no basic auth|incorrect username|denied|forbidden/i,
    'image_denied',
    'The registry refuses the credential.',
  ],
  [
    /Image/,
    /not found|does not exist|manifest unknown|no matching manifest|no match for platform/i,
    'image_not_found',
    'The registry does not have the image, or asks for a credential.',
  ],
  [/Image/, /no space left/i, 'no_capacity', 'The host has no space for the image.'],
  [/^(ErrImagePull|RegistryUnavailable)$/, /./, 'registry_unavailable', 'The registry does not answer.'],
  [
    /^(RunContainerError|CreateContainerError)$/,
    /executable file not found|no such file|exec format|exec:|permission denied|no command specified/i,
    'command_not_found',
    'The command is not in the image, or cannot be executed.',
  ],
  [/^(RunContainerError|CreateContainerError)$/, /./, 'engine_error', 'The cluster cannot start the container.'],
]

/** Why a pod has not started and will not; undefined where it may yet. */
export function startFault(pod: V1Pod): DriverFault | undefined {
  const { waiting, terminated } = stateOf(pod)
  const { phase, reason, message, conditions = [] } = pod.status ?? {}
  if (isUnstartable(terminated?.reason))
    return fault('command_not_found', 'The command is not in the image, or cannot be executed.', terminated?.message)
  if (terminated !== undefined) return undefined
  if (waiting !== undefined) {
    const said = waiting.message || '-'
    const [, , found, told] =
      WAITING.find(([reasons, text]) => reasons.test(waiting.reason ?? '') && text.test(said)) ?? []
    if (found !== undefined && told !== undefined) return fault(found, told, `${waiting.reason}: ${said}`)
  }
  const scheduled = conditions.find(({ type }) => type === 'PodScheduled')
  if (scheduled?.status === 'False' && scheduled.reason === 'Unschedulable')
    return fault('no_capacity', 'No host has a free place.', scheduled.message)
  // The node has found that it has no room after all, is being shut down, or is short of something.
  if (phase === 'Failed') return fault('no_capacity', 'The host has no room for the replica.', `${reason}: ${message}`)
  return undefined
}

const fault = (reason: FaultReason, told: string, cause: string | undefined) =>
  new DriverFault(reason, told, { cause: new Error(cause ?? '') })
