/** Calls on one pod of this deployment. */
import type { V1Pod } from '@kubernetes/client-node'
import { type Cluster, ClusterError, unlessConflict, unlessMissing } from './cluster.ts'
import { DEPLOYMENT, FINALIZER } from './labels.ts'
import { isHeld } from './observed.ts'

export const MERGE = 'application/merge-patch+json'

export const pathOf = ({ metadata }: V1Pod) => `/api/v1/namespaces/${metadata?.namespace}/pods/${metadata?.name}`

/** A pod, as the cluster has it now. Its name is unique in the deployment. */
export async function findPod(
  cluster: Cluster,
  deployment: string,
  name: string,
  signal: AbortSignal,
): Promise<V1Pod | undefined> {
  const query = { fieldSelector: `metadata.name=${name}`, labelSelector: `${DEPLOYMENT}=${deployment}` }
  const options = { signal, query, timeoutMs: FIND_TIMEOUT_MS }
  const { items } = await cluster.call<{ items: readonly V1Pod[] }>('GET', '/api/v1/pods', options)
  return items[0]
}

const FIND_TIMEOUT_MS = 5_000

/** Asks for the pod's end. It is there until its finalizers are gone. */
export async function erasePod(cluster: Cluster, pod: V1Pod, seconds: number, signal: AbortSignal): Promise<void> {
  const uid = pod.metadata?.uid
  const body = {
    ...{ apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: seconds },
    ...(uid !== undefined && { preconditions: { uid } }),
  }
  // Another pod of this name is not this one.
  await unlessConflict(unlessMissing(cluster.call('DELETE', pathOf(pod), { signal, body })))
}

/** Takes our finalizer away, and leaves those of others. Reads the pod again where somebody has changed it meanwhile. */
export async function letGoOfPod(cluster: Cluster, pod: V1Pod, signal: AbortSignal): Promise<void> {
  for (let current: V1Pod | undefined = pod; current !== undefined && isHeld(current); ) {
    const { uid, resourceVersion, finalizers = [] } = current.metadata ?? {}
    if (uid !== pod.metadata?.uid) return
    const body = { metadata: { uid, resourceVersion, finalizers: finalizers.filter(each => each !== FINALIZER) } }
    try {
      await unlessMissing(cluster.call('PATCH', pathOf(pod), { signal, body, contentType: MERGE }))
      return
    } catch (error) {
      if (!(error instanceof ClusterError && error.status === 409)) throw error
      current = await unlessMissing(cluster.call<V1Pod>('GET', pathOf(pod), { signal }))
    }
  }
}
