/** What the driver must know of a pod, in the pod's labels and annotations, and the names of what belongs to a tenant. */
import { createHash } from 'node:crypto'
import type { V1ObjectMeta } from '@kubernetes/client-node'
import type { ReplicaIdentity } from '../driver.ts'

/** Whose pods, namespaces and events are ours. */
export const DEPLOYMENT = 'millhand/deployment'
/** Keeps a pod that has ended or was deleted until its end is noted. */
export const FINALIZER = 'millhand/end-is-noted'
/** Keeps a pod from being scheduled until its secrets are there. */
export const GATE = 'millhand/secrets-are-there'

/** A tenant's name has a slash, which a label's value may not have. */
const TENANT = 'millhand/tenant'
const INSTANCE = 'millhand/instance'
const INDEX = 'millhand/index'
const GENERATION = 'millhand/generation'
const GPU = 'millhand/gpu'

export function metadataOf(deployment: string, replica: ReplicaIdentity): V1ObjectMeta {
  return {
    name: replica.name,
    labels: {
      [DEPLOYMENT]: deployment,
      [INSTANCE]: replica.instance,
      [INDEX]: String(replica.index),
      [GENERATION]: String(replica.generation),
      [GPU]: replica.gpu,
    },
    annotations: { [TENANT]: replica.tenant },
    finalizers: [FINALIZER],
  }
}

export function identityOf({ name = '', labels = {}, annotations = {} }: V1ObjectMeta): ReplicaIdentity {
  return {
    name,
    tenant: annotations[TENANT] ?? '',
    instance: labels[INSTANCE] ?? '',
    index: Number(labels[INDEX] ?? 0),
    generation: Number(labels[GENERATION] ?? 0),
    gpu: labels[GPU] ?? 'cpu',
  }
}

export const isOf = (deployment: string, metadata: V1ObjectMeta | undefined): boolean =>
  metadata?.labels?.[DEPLOYMENT] === deployment

/** The same for the same tenant of the same deployment, and short: accounts have capital letters, which names may not have. */
export const namespaceOf = (prefix: string, deployment: string, tenant: string): string =>
  `${prefix}${createHash('sha256').update(`${deployment}\n${tenant}`).digest('hex').slice(0, 20)}`
