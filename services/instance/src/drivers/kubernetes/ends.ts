/**
 * When replicas ended whose pods are gone, as events of the cluster. The API server keeps them for an hour, unless it is told
 * otherwise (`--event-ttl`).
 */
import type { CoreV1Event, V1Pod } from '@kubernetes/client-node'
import { type Cluster, ClusterError } from './cluster.ts'
import { DEPLOYMENT } from './labels.ts'

const REASON = 'ReplicaEnded'
const REPORTER = 'millhand/instance'

/** Notes it before the pod goes. */
export async function noteEnd(
  cluster: Cluster,
  deployment: string,
  { metadata }: V1Pod,
  endedAt: number,
  signal: AbortSignal,
): Promise<void> {
  const { name = '', namespace = '', uid = '' } = metadata ?? {}
  const event = {
    ...{ apiVersion: 'v1', kind: 'Event', type: 'Normal', reason: REASON, action: 'End' },
    // One for each pod, however often its end is noted.
    metadata: { name: `${name}.${uid.slice(0, 8)}`, namespace, labels: { [DEPLOYMENT]: deployment } },
    involvedObject: { apiVersion: 'v1', kind: 'Pod', name, namespace, uid },
    message: `The process of the replica ended at ${new Date(endedAt).toISOString()}.`,
    eventTime: new Date(endedAt).toISOString().replace('Z', '000Z'),
    ...{ reportingComponent: REPORTER, reportingInstance: deployment },
  }
  try {
    await cluster.call('POST', `/api/v1/namespaces/${namespace}/events`, { signal, body: event })
  } catch (error) {
    // It is noted already, or its namespace is going: then nobody can note it any more.
    if (!(error instanceof ClusterError && [403, 404, 409].includes(error.status))) throw error
  }
}

/** By name, in milliseconds since 1970. */
export async function endsOf(cluster: Cluster, deployment: string, signal: AbortSignal): Promise<Map<string, number>> {
  const query = { fieldSelector: `reason=${REASON}`, labelSelector: `${DEPLOYMENT}=${deployment}` }
  const { items } = await cluster.call<{ items: readonly CoreV1Event[] }>('GET', '/api/v1/events', { signal, query })
  return new Map(
    items.map(({ involvedObject, eventTime }) => [involvedObject.name ?? '', Date.parse(String(eventTime))]),
  )
}
