/** The namespace of a tenant, and what bounds it there. */
import type { V1LimitRange, V1Namespace, V1ResourceQuota } from '@kubernetes/client-node'
import type { ReplicaSizes } from '../replica-size.ts'
import type { Cluster } from './cluster.ts'
import { DEPLOYMENT } from './labels.ts'
import { SCRATCH_BYTES } from './pod.ts'

export interface TenancyOptions {
  readonly deployment: string
  readonly sizes: ReplicaSizes
  /** Pods that one tenant may have at once, whatever its plan says. */
  readonly podsOfTenant: number
}

/** The largest volume that the API takes. */
const LARGEST_VOLUME_BYTES = 1024e9

/** Makes them, or makes them what they should be: the same call for both, whoever has changed them. */
export async function ensureNamespace(
  cluster: Cluster,
  name: string,
  options: TenancyOptions,
  signal: AbortSignal,
): Promise<void> {
  const apply = (path: string, body: unknown) =>
    cluster.call('PATCH', path, {
      ...{ signal, body, contentType: 'application/apply-patch+yaml' },
      query: { fieldManager: 'millhand', force: true, fieldValidation: 'Strict' },
    })
  await apply(`/api/v1/namespaces/${name}`, namespaceOf(name, options))
  const within = `namespaces/${name}`
  // The walls are there before the first pod.
  await Promise.all([
    apply(`/apis/networking.k8s.io/v1/${within}/networkpolicies/millhand`, networkPolicyOf(name)),
    apply(`/api/v1/${within}/resourcequotas/millhand`, quotaOf(name, options)),
    apply(`/api/v1/${within}/limitranges/millhand`, limitsOf(name, options)),
  ])
}

function namespaceOf(name: string, { deployment }: TenancyOptions): V1Namespace {
  const restricted = Object.fromEntries(
    ['enforce', 'warn', 'audit'].map(mode => [`pod-security.kubernetes.io/${mode}`, 'restricted']),
  )
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: { [DEPLOYMENT]: deployment, ...restricted } },
  }
}

/** Replicas of one tenant reach each other, and nothing else; nothing else reaches them. */
function networkPolicyOf(namespace: string) {
  const own = [{ podSelector: {} }]
  return {
    ...{ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name: 'millhand', namespace } },
    spec: {
      podSelector: {},
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{ from: own }],
      egress: [{ to: own }],
    },
  }
}

/** A second wall behind the caps of the plan: nothing in the namespace is reached from outside or takes a disk of the cluster. */
function quotaOf(namespace: string, { podsOfTenant }: TenancyOptions): V1ResourceQuota {
  return {
    ...{ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'millhand', namespace } },
    spec: {
      hard: {
        pods: String(podsOfTenant),
        secrets: String(2 * podsOfTenant + 2),
        services: '0',
        persistentvolumeclaims: '0',
      },
    },
  }
}

/** No pod of the namespace is larger than the largest replica, and none is without a bound. */
function limitsOf(namespace: string, { sizes }: TenancyOptions): V1LimitRange {
  const all = Object.values(sizes)
  const max = {
    cpu: `${Math.round(1000 * Math.max(...all.map(({ cpus }) => cpus)))}m`,
    memory: String(Math.max(...all.map(({ memoryBytes }) => memoryBytes))),
    'ephemeral-storage': String(SCRATCH_BYTES + LARGEST_VOLUME_BYTES),
  }
  return {
    ...{ apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'millhand', namespace } },
    spec: { limits: [{ type: 'Container', max }] },
  }
}
