/** Where replicas fit: what the nodes can give, less what their pods ask for. Pure. */
import type { V1Node, V1Pod } from '@kubernetes/client-node'
import type { Capacity } from '../driver.ts'
import type { ReplicaSizes } from '../replica-size.ts'
import { hasEnded, type Nodes } from './observed.ts'
import { GPU_RESOURCE, SCRATCH_BYTES } from './pod.ts'

export interface RoomOptions {
  readonly sizes: ReplicaSizes
  readonly nodeSelector: Readonly<Record<string, string>>
  /** The label that tells a node's GPU type. */
  readonly gpuLabel: string
  /** Whether a pod is a replica of this deployment. */
  readonly isOurs: (pod: V1Pod) => boolean
}

export function capacityOf(nodes: Nodes, pods: Iterable<V1Pod>, options: RoomOptions): Capacity[] {
  const { sizes, isOurs } = options
  const alive = [...pods].filter(pod => !hasEnded(pod, nodes))
  const ours = alive.filter(isOurs)
  const foreign = Map.groupBy(
    alive.filter(pod => !isOurs(pod)),
    nodeOf,
  )
  const onNode = Map.groupBy(ours, nodeOf)
  /** Those that the scheduler has not placed yet. */
  const coming = onNode.get('') ?? []
  return Object.entries(sizes).map(([gpu, { memoryBytes }]) => {
    let total = 0
    let free = 0
    for (const [name, node] of nodes) {
      const others = foreign.get(name) ?? []
      total += places(node, others, gpu, options)
      free += places(node, [...others, ...(onNode.get(name) ?? [])], gpu, options)
    }
    const waiting = coming.filter(pod => gpuOf(pod) === (gpu !== 'cpu')).length
    return { gpu, total, free: Math.max(0, free - waiting), memoryBytes }
  })
}

/** The values of the label on nodes of a GPU type: a type is the value in small letters, with hyphens for what it may not have. */
export const gpuValues = (nodes: Nodes, label: string, gpu: string): string[] => [
  ...new Set(
    [...nodes.values()].flatMap(({ metadata }) => {
      const value = metadata?.labels?.[label]
      return value !== undefined && gpuTypeOf(value) === gpu ? [value] : []
    }),
  ),
]

const gpuTypeOf = (value: string): string => value.toLowerCase().replaceAll(/[^a-z0-9_-]/g, '-')

const nodeOf = (pod: V1Pod): string => pod.spec?.nodeName ?? ''

const gpuOf = (pod: V1Pod): boolean => requestOf(pod, GPU_RESOURCE) > 0

function places(node: V1Node, pods: readonly V1Pod[], gpu: string, options: RoomOptions): number {
  const { sizes, gpuLabel } = options
  const size = sizes[gpu]
  const labels = node.metadata?.labels ?? {}
  if (size === undefined || !isOpen(node, gpu !== 'cpu', options)) return 0
  if (gpu !== 'cpu' && gpuTypeOf(labels[gpuLabel] ?? '') !== gpu) return 0
  const left = (resource: string) =>
    quantity(node.status?.allocatable?.[resource]) - pods.reduce((sum, pod) => sum + requestOf(pod, resource), 0)
  const fit = [
    // Fractions of processors do not add up exactly.
    Math.floor(left('cpu') / size.cpus + 1e-6),
    Math.floor(left('memory') / size.memoryBytes),
    Math.floor(left('ephemeral-storage') / SCRATCH_BYTES),
    quantity(node.status?.allocatable?.pods) - pods.length,
    ...(gpu === 'cpu' ? [] : [left(GPU_RESOURCE)]),
  ]
  return Math.max(0, Math.min(...fit))
}

/** Whether replicas may be placed there. */
function isOpen({ metadata, spec, status }: V1Node, hasGpu: boolean, { nodeSelector }: RoomOptions): boolean {
  const isReady = status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True')
  const isSelected = Object.entries(nodeSelector).every(([label, value]) => metadata?.labels?.[label] === value)
  const isTainted = spec?.taints?.some(
    ({ key, effect }) => effect !== 'PreferNoSchedule' && !(hasGpu && key === GPU_RESOURCE),
  )
  return isReady === true && isSelected && spec?.unschedulable !== true && isTainted !== true
}

/** What the scheduler counts: all containers together, or the largest that runs before them. */
function requestOf({ spec }: V1Pod, resource: string): number {
  const of = (requests: { readonly resources?: { readonly requests?: Record<string, string> } }) =>
    quantity(requests.resources?.requests?.[resource])
  const together = (spec?.containers ?? []).reduce((sum, container) => sum + of(container), 0)
  const before = Math.max(0, ...(spec?.initContainers ?? []).map(of))
  return Math.max(together, before) + quantity(spec?.overhead?.[resource])
}

const SUFFIXES: Readonly<Record<string, number>> = {
  ...{ n: 1e-9, u: 1e-6, m: 1e-3, '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60 },
}

/** https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/ */
function quantity(written: string | undefined): number {
  const [, number, suffix = ''] = /^([+-]?[\d.]+(?:[eE][+-]?\d+)?)([a-zA-Z]{0,2})$/.exec(written ?? '0') ?? []
  return Number(number ?? 0) * (SUFFIXES[suffix] ?? 0)
}
