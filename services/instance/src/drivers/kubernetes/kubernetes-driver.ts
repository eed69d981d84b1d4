/** The driver of Kubernetes clusters: each replica is one pod, in the namespace of its tenant. docs/decisions/kubernetes-driver.md */
import type { V1Node, V1Pod } from '@kubernetes/client-node'
import { type Clock, KeyedMutex } from '@millhand/process'
import { type Driver, DriverFault, type LogLine, type LogOptions, type ReplicaSpec } from '../driver.ts'
import { checkImage, type ImagePolicy } from '../image-policy.ts'
import type { ReplicaSizes } from '../replica-size.ts'
import { capacityOf, gpuValues } from './capacity.ts'
import { type Cluster, createCluster, kubeConfigOf } from './cluster.ts'
import { endsOf } from './ends.ts'
import { DEPLOYMENT, isOf, namespaceOf } from './labels.ts'
import { createListWatch, type ListWatch } from './list-watch.ts'
import { observedLogs } from './logs.ts'
import { endOf, observed, startFault, wasStarted } from './observed.ts'
import { podOf } from './pod.ts'
import { findPod } from './pod-calls.ts'
import { createPods, type Pods } from './pods.ts'

export interface KubernetesDriverOptions {
  /** Tells this deployment's pods from those of others on the same cluster. */
  readonly deployment: string
  /** The path of a configuration file; without it the driver uses the account of the pod in which this process runs. */
  readonly kubeConfig?: string
  /** Of the namespaces of tenants. */
  readonly namespacePrefix: string
  /** Labels of the nodes on which replicas run; all nodes where there are none. */
  readonly nodeSelector?: Readonly<Record<string, string>>
  /** The label of nodes that has their GPU type. */
  readonly gpuLabel: string
  readonly podsOfTenant: number
  readonly sizes: ReplicaSizes
  readonly images?: ImagePolicy
  /** Seconds from SIGTERM to SIGKILL. */
  readonly graceSeconds?: number
  readonly clock: Clock
}

export interface KubernetesDriver extends Driver, AsyncDisposable {}

/** A cluster is lost once it has not said for so long that it is there. */
const LOOK_TIMEOUT_MS = 5_000
/** A pod that has not started by then has met a fault that nobody has reported. */
const START_TIMEOUT_MS = 600_000

/** Calls no cluster: one that is away at the start is a lost host. Throws where the configuration can't be read. */
export function createKubernetesDriver(options: KubernetesDriverOptions): KubernetesDriver {
  const { deployment, sizes, images = {}, nodeSelector = {}, gpuLabel, clock, graceSeconds = 10 } = options
  const cluster = createCluster(kubeConfigOf(options.kubeConfig))
  const isOurs = (pod: V1Pod) => isOf(deployment, pod.metadata)
  const podWatch = createListWatch<V1Pod>({
    ...{ cluster, path: '/api/v1/pods', clock },
    keep: pod => (isOurs(pod) ? pod : requestsAlone(pod)),
  })
  const nodeWatch = createListWatch<V1Node>({ cluster, path: '/api/v1/nodes', keep: withoutImages, clock })
  const pods = createPods({ ...options, graceSeconds, cluster, podWatch, nodeWatch })
  const creating = new KeyedMutex()

  async function specOf(replica: ReplicaSpec, signal: AbortSignal): Promise<V1Pod> {
    const { gpu, image, ports, isExecutor } = replica
    const { isPreloaded } = checkImage(image, images)
    const size = sizes[gpu]
    const values = gpu === 'cpu' ? [] : gpuValues(await nodeWatch.items(signal), gpuLabel, gpu)
    if (size === undefined || (gpu !== 'cpu' && values.length === 0))
      throw new DriverFault('no_capacity', `There is no ${gpu} here.`)
    if (ports.length > 0) throw new DriverFault('ports_unsupported', 'Ports are not published here.')
    // An account's network policy lets no pod reach the platform.
    if (isExecutor) throw new DriverFault('executors_unsupported', 'Executors do not run here as instances.')
    const place = gpu === 'cpu' ? {} : { gpu: { label: gpuLabel, values } }
    return podOf({ ...{ deployment, replica, size, isPreloaded, graceSeconds, nodeSelector }, ...place })
  }

  return {
    create: (replica, { signal }) =>
      creating.runExclusive(replica.name, async () => {
        const namespace = namespaceOf(options.namespacePrefix, deployment, replica.tenant)
        const key = `${namespace}/${replica.name}`
        const there = (await podWatch.items(signal)).get(key)
        if (there === undefined) await pods.make(namespace, await specOf(replica, signal), signal)
        else if (wasStarted(there)) return { host: cluster.name }
        await pods.release(namespace, replica, signal)
        await started(podWatch, pods, key, signal)
        return { host: cluster.name }
      }),

    async remove({ name, host }, signal) {
      if (host === undefined || host === cluster.name) await pods.remove(name, signal)
    },

    async list(signal) {
      try {
        // Kept by a watch; this asks the cluster itself, for a watch over which nothing comes is no sign that nothing happens.
        await isThere(cluster, deployment, signal)
        const [all, nodes] = await Promise.all([podWatch.items(signal), nodeWatch.items(signal)])
        const replicas = [...all.values()].filter(isOurs).map(pod => observed(cluster.name, pod, nodes))
        return { replicas, lostHosts: [] }
      } catch (error) {
        if (!(error instanceof DriverFault && error.reason === 'unavailable')) throw error
        return { replicas: [], lostHosts: [cluster.name] }
      }
    },

    async ends(host, signal) {
      if (host !== cluster.name) return new Map()
      const [noted, all] = await Promise.all([endsOf(cluster, deployment, signal), podWatch.items(signal)])
      for (const pod of all.values()) {
        const endedAt = isOurs(pod) ? endOf(pod) : undefined
        if (endedAt !== undefined) noted.set(pod.metadata?.name ?? '', endedAt)
      }
      return noted
    },

    watch(changed) {
      const watches = [podWatch, nodeWatch].map(watch => watch.subscribe(changed))
      return {
        [Symbol.dispose]() {
          for (const watch of watches) watch[Symbol.dispose]()
        },
      }
    },

    logs: (name, logOptions, signal) => linesOf(cluster, deployment, name, logOptions, signal),

    async capacity(signal) {
      const [nodes, all] = await Promise.all([nodeWatch.items(signal), podWatch.items(signal)])
      return capacityOf(nodes, all.values(), { sizes, nodeSelector, gpuLabel, isOurs })
    },

    async [Symbol.asyncDispose]() {
      await Promise.all([podWatch[Symbol.asyncDispose](), nodeWatch[Symbol.asyncDispose]()])
      await cluster[Symbol.asyncDispose]()
    },
  }
}

/** Waits until the replica's process has been started; a replica that will not start is removed. Throws `DriverFault`. */
async function started(podWatch: ListWatch<V1Pod>, pods: Pods, key: string, signal: AbortSignal): Promise<void> {
  const late = AbortSignal.timeout(START_TIMEOUT_MS)
  let hasBeenThere = false
  const look = (all: ReadonlyMap<string, V1Pod>): DriverFault | 'started' | undefined => {
    const pod = all.get(key)
    if (pod === undefined) return hasBeenThere ? removedMeanwhile : undefined
    hasBeenThere = true
    if (wasDeleted(pod)) return removedMeanwhile
    return startFault(pod) ?? (wasStarted(pod) ? 'started' : undefined)
  }
  const outcome = await podWatch.until(look, AbortSignal.any([signal, late])).catch(error => {
    if (signal.aborted || !late.aborted) throw error
    return new DriverFault('engine_error', 'The replica did not start within 10 minutes.')
  })
  if (outcome === 'started') return
  await pods.discard(key, signal)
  throw outcome
}

const removedMeanwhile = new DriverFault('unavailable', 'The replica was removed while it was started.')

/** Before its process was started; a node that has the pod already says first that it will not start it. */
function wasDeleted(pod: V1Pod): boolean {
  const isOver = pod.spec?.nodeName === undefined || pod.status?.phase === 'Failed'
  return pod.metadata?.deletionTimestamp !== undefined && isOver && !wasStarted(pod)
}

/** A read that is as of now, and of almost nothing. */
async function isThere(cluster: Cluster, deployment: string, signal: AbortSignal): Promise<void> {
  const query = { limit: 1, labelSelector: `${DEPLOYMENT}=${deployment}` }
  await cluster.call('GET', '/api/v1/namespaces', { signal, query, timeoutMs: LOOK_TIMEOUT_MS })
}

async function* linesOf(
  cluster: Cluster,
  deployment: string,
  name: string,
  logOptions: LogOptions,
  signal: AbortSignal,
): AsyncGenerator<LogLine> {
  const pod = await findPod(cluster, deployment, name, signal)
  if (pod === undefined) throw new DriverFault('not_found', `There is no replica ${name}.`)
  yield* observedLogs(cluster, pod, logOptions, signal)
}

/** Of the pods of others what they take of their node. */
const requestsAlone = ({ metadata, spec, status }: V1Pod): V1Pod => ({
  metadata: { name: metadata?.name ?? '', namespace: metadata?.namespace ?? '' },
  spec: {
    ...(spec?.nodeName !== undefined && { nodeName: spec.nodeName }),
    ...(spec?.overhead && { overhead: spec.overhead }),
    containers: (spec?.containers ?? []).map(({ name, resources = {} }) => ({ name, resources })),
    initContainers: (spec?.initContainers ?? []).map(({ name, resources = {} }) => ({ name, resources })),
  },
  status: { ...(status?.phase !== undefined && { phase: status.phase }) },
})

const withoutImages = ({ status, ...node }: V1Node): V1Node => ({ ...node, status: { ...status, images: [] } })
