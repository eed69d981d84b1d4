/** The calls that make and remove the pods of replicas. */
import type { V1Node, V1Pod } from '@kubernetes/client-node'
import { type Clock, KeyedMutex } from '@millhand/process'
import { DriverFault, type ReplicaSpec } from '../driver.ts'
import { type Cluster, ClusterError, unlessConflict, unlessMissing } from './cluster.ts'
import { noteEnd } from './ends.ts'
import { GATE } from './labels.ts'
import { keyOf, type ListWatch } from './list-watch.ts'
import { endOf, hasEnded, isOnLostNode } from './observed.ts'
import { secretsOf } from './pod.ts'
import { erasePod, findPod, letGoOfPod, MERGE, pathOf } from './pod-calls.ts'
import { ensureNamespace, type TenancyOptions } from './tenancy.ts'

export interface Pods {
  /** Makes the pod, unless it is there. It is not scheduled yet. Throws `DriverFault`. */
  make(namespace: string, pod: V1Pod, signal: AbortSignal): Promise<void>
  /** Makes the replica's secrets, unless they are there, and lets its pod be scheduled. */
  release(namespace: string, replica: ReplicaSpec, signal: AbortSignal): Promise<void>
  /** Ends the pod, and removes it once its end is noted. */
  remove(name: string, signal: AbortSignal): Promise<void>
  /** Removes a pod whose process was never started. */
  discard(key: string, signal: AbortSignal): Promise<void>
}

export interface PodsOptions extends TenancyOptions {
  readonly cluster: Cluster
  readonly podWatch: ListWatch<V1Pod>
  readonly nodeWatch: ListWatch<V1Node>
  readonly graceSeconds: number
  readonly clock: Clock
}

/** A node that has not ended a pod so long after its grace time does not answer. */
const END_TIMEOUT_MS = 60_000
/** The cluster counts what a new namespace holds before it lets anything be made there. */
const QUOTA_TIMEOUT_MS = 20_000
const QUOTA_PAUSE_MS = 100

export function createPods(options: PodsOptions): Pods {
  const { cluster, deployment, podWatch, nodeWatch, graceSeconds, clock } = options
  /** Namespaces that this process has made what they should be. */
  const ensured = new Set<string>()
  const ensuring = new KeyedMutex()

  const ensure = (namespace: string, signal: AbortSignal) =>
    ensuring.runExclusive(namespace, async () => {
      if (ensured.has(namespace)) return
      await ensureNamespace(cluster, namespace, options, signal)
      ensured.add(namespace)
    })

  async function post(namespace: string, pod: V1Pod, signal: AbortSignal): Promise<void> {
    const late = clock.monotonic() + QUOTA_TIMEOUT_MS
    for (;;) {
      await ensure(namespace, signal)
      try {
        await cluster.call('POST', `/api/v1/namespaces/${namespace}/pods`, { signal, body: pod, query: strict })
        return
      } catch (error) {
        if (!(error instanceof ClusterError)) throw error
        if (error.status === 409 && /already exists/.test(error.message)) return // Another call was faster.
        const isLate = clock.monotonic() >= late
        if (isLate || !isPassing(error)) throw makeFault(error)
        if (error.status === 404) ensured.delete(namespace)
        await clock.sleep(QUOTA_PAUSE_MS, signal)
      }
    }
  }

  /** Resolves with the pod that has ended, or undefined where it is gone. Throws `DriverFault` `unavailable`. */
  async function ended(pod: V1Pod, signal: AbortSignal): Promise<V1Pod | undefined> {
    const late = AbortSignal.timeout(graceSeconds * 1000 + END_TIMEOUT_MS)
    const nodes = await nodeWatch.items(signal)
    const look = (all: ReadonlyMap<string, V1Pod>) => {
      const current = all.get(keyOf(pod))
      if (current?.metadata?.uid !== pod.metadata?.uid) return { pod: undefined }
      if (hasEnded(current as V1Pod, nodes)) return { pod: current }
      if (isOnLostNode(current as V1Pod, nodes)) throw new DriverFault('unavailable', 'The host does not answer.')
      return undefined
    }
    return podWatch.until(look, AbortSignal.any([signal, late])).then(
      found => found.pod,
      error => {
        if (signal.aborted || !late.aborted) throw error
        throw new DriverFault('unavailable', 'The host does not end the replica.', { cause: error })
      },
    )
  }

  const gone = async (pod: V1Pod, signal: AbortSignal) => {
    const look = (all: ReadonlyMap<string, V1Pod>) =>
      all.get(keyOf(pod))?.metadata?.uid === pod.metadata?.uid ? undefined : true
    await podWatch.until(look, AbortSignal.any([signal, AbortSignal.timeout(END_TIMEOUT_MS)]))
  }

  async function settle(pod: V1Pod, signal: AbortSignal): Promise<void> {
    await erasePod(cluster, pod, 0, signal)
    await letGoOfPod(cluster, (await findPod(cluster, deployment, pod.metadata?.name ?? '', signal)) ?? pod, signal)
  }

  return {
    make: post,
    release: (namespace, replica, signal) => releasePod(cluster, deployment, namespace, replica, signal),

    async remove(name, signal) {
      const pod = await findPod(cluster, deployment, name, signal)
      if (pod === undefined) return
      const nodes = await nodeWatch.items(signal)
      const isOver = hasEnded(pod, nodes)
      if (!isOver) await erasePod(cluster, pod, graceSeconds, signal)
      const last = isOver ? pod : await ended(pod, signal)
      const endedAt = last && endOf(last)
      if (last !== undefined && endedAt !== undefined) await noteEnd(cluster, deployment, last, endedAt, signal)
      if (last !== undefined) await settle(last, signal)
      await gone(pod, signal)
    },

    async discard(key, signal) {
      const pod = (await podWatch.items(signal)).get(key)
      if (pod === undefined) return
      await settle(pod, signal)
      await gone(pod, signal)
    },
  }
}

/** Two calls at the same time come to the same. */
async function releasePod(
  cluster: Cluster,
  deployment: string,
  namespace: string,
  replica: ReplicaSpec,
  signal: AbortSignal,
): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}`
  const pod = await unlessMissing(cluster.call<V1Pod>('GET', `${path}/pods/${replica.name}`, { signal }))
  if (!pod?.spec?.schedulingGates?.some(({ name }) => name === GATE)) return
  for (const body of secretsOf(deployment, replica, pod.metadata?.uid ?? '')) {
    const call = cluster.call('POST', `${path}/secrets`, { signal, body, query: strict })
    await unlessConflict(call).catch(error => {
      throw error instanceof ClusterError ? makeFault(error) : error
    })
  }
  const schedulingGates = pod.spec.schedulingGates.filter(({ name }) => name !== GATE)
  const body = { metadata: { uid: pod.metadata?.uid }, spec: { schedulingGates } }
  await unlessConflict(unlessMissing(cluster.call('PATCH', pathOf(pod), { signal, body, contentType: MERGE })))
}

const strict = { fieldValidation: 'Strict' }

/** What goes by itself: the quota of a new namespace is not counted yet, or the namespace was deleted meanwhile. */
const isPassing = ({ status, message }: ClusterError): boolean =>
  (status === 403 && /status unknown for quota/.test(message)) || (status === 404 && /namespaces/.test(message))

function makeFault(error: ClusterError): DriverFault {
  const { status, message } = error
  if (status === 403 && /exceeded quota/.test(message))
    return new DriverFault('no_capacity', 'The account runs as many replicas as its namespace holds.', { cause: error })
  if (status === 403 && /being terminated|status unknown for quota/.test(message))
    return new DriverFault('unavailable', 'The account’s namespace is not ready.', { cause: error })
  return new DriverFault('engine_error', 'The cluster refuses the replica.', { cause: error })
}
