/**
 * The pod of a replica: what an untrusted image gets, and no more. It satisfies the restricted Pod Security Standard
 * (https://kubernetes.io/docs/concepts/security/pod-security-standards/), which the namespace enforces.
 */
import type { V1Pod, V1Secret, V1Volume } from '@kubernetes/client-node'
import type { RegistryCredential, ReplicaSpec } from '../driver.ts'
import { parseImageReference } from '../image-policy.ts'
import type { ReplicaSize } from '../replica-size.ts'
import { GATE, metadataOf } from './labels.ts'

export interface PodOptions {
  readonly deployment: string
  readonly replica: ReplicaSpec
  readonly size: ReplicaSize
  /** A replica of an image that the operator has put on the nodes runs without a pull. */
  readonly isPreloaded: boolean
  readonly graceSeconds: number
  /** Of all nodes for replicas. */
  readonly nodeSelector: Readonly<Record<string, string>>
  /** The label that tells a node's GPU type, and its values for this replica's; undefined for a replica without a GPU. */
  readonly gpu?: { readonly label: string; readonly values: readonly string[] }
}

/** The name of the one container. */
export const CONTAINER = 'replica'
export const GPU_RESOURCE = 'nvidia.com/gpu'
/** What a replica may write to its log and to the node's disk, but for its volume. */
export const SCRATCH_BYTES = 2 ** 30

/** The user and the group of every replica, whatever its image says: one of no account of any system. */
const NOBODY = 65_532
const TEMPORARY = ['/tmp', '/run', '/var/tmp']
const TEMPORARY_BYTES = 256 * 2 ** 20
/** Nothing answers there: through a resolver of the cluster a replica would reach names, and by them servers, everywhere. */
const NO_RESOLVER = '198.51.100.1'

/** Not scheduled until its gate is taken away, once its secrets are there. */
export function podOf(options: PodOptions): V1Pod {
  const { deployment, replica, size, isPreloaded, graceSeconds, nodeSelector, gpu } = options
  const { image, command, env, registryCredential, volumeGb } = replica
  const resources = resourcesOf(size, volumeGb, gpu !== undefined)
  const volumes = volumesOf(volumeGb)
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: metadataOf(deployment, replica),
    spec: {
      restartPolicy: 'Never',
      schedulingGates: [{ name: GATE }],
      terminationGracePeriodSeconds: graceSeconds,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      hostNetwork: false,
      hostPID: false,
      hostIPC: false,
      dnsPolicy: 'None',
      dnsConfig: { nameservers: [NO_RESOLVER] },
      nodeSelector: { ...nodeSelector },
      ...(gpu && placementOf(gpu)),
      ...(registryCredential && { imagePullSecrets: [{ name: registrySecretName(replica.name) }] }),
      securityContext: {
        runAsNonRoot: true,
        runAsUser: NOBODY,
        runAsGroup: NOBODY,
        fsGroup: NOBODY,
        supplementalGroups: [],
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [
        {
          name: CONTAINER,
          image: imageName(image),
          // Always asks the registry, so that it checks the credential: what one tenant has pulled is no other's to run.
          imagePullPolicy: isPreloaded ? 'Never' : 'Always',
          ...(command && { command: [...command] }),
          ...(Object.keys(env).length > 0 && { envFrom: [{ secretRef: { name: envSecretName(replica.name) } }] }),
          resources: { requests: resources, limits: resources },
          securityContext: {
            privileged: false,
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
          volumeMounts: volumes.map(({ name, path }) => ({ name, mountPath: path })),
        },
      ],
      volumes: volumes.map(({ path: _, ...volume }) => volume),
    },
  }
}

/** The secrets that its pod owns, so that they go with it. `uid` is the pod's. */
export function secretsOf(deployment: string, replica: ReplicaSpec, uid: string): V1Secret[] {
  const { name, env, registryCredential } = replica
  const { labels } = metadataOf(deployment, replica)
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Pod', name, uid }]
  const secret = (secretName: string, type: string, stringData: Record<string, string>): V1Secret => ({
    ...{ apiVersion: 'v1', kind: 'Secret', type, immutable: true, stringData },
    metadata: { name: secretName, labels: labels ?? {}, ownerReferences },
  })
  return [
    ...(Object.keys(env).length > 0 ? [secret(envSecretName(name), 'Opaque', { ...env })] : []),
    ...(registryCredential
      ? [
          secret(registrySecretName(name), 'kubernetes.io/dockerconfigjson', {
            '.dockerconfigjson': dockerConfig(replica.image, registryCredential),
          }),
        ]
      : []),
  ]
}

const envSecretName = (replica: string) => `${replica}-env`
const registrySecretName = (replica: string) => `${replica}-registry`

/** With its registry, so that a node's own search list never decides where it comes from. */
function imageName(image: string): string {
  const parsed = parseImageReference(image)
  return parsed === undefined ? image : `${parsed.registry}/${parsed.repository}${parsed.version}`
}

function dockerConfig(image: string, { username, password }: RegistryCredential): string {
  const registry = parseImageReference(image)?.registry ?? ''
  const auth = Buffer.from(`${username}:${password}`).toString('base64')
  // The name of the pod's image has the same registry, and a kubelet matches both by their hosts.
  return JSON.stringify({ auths: { [registry]: { username, password, auth } } })
}

/** Requests are limits: a replica gets what it may take, and no neighbour lends it more. */
function resourcesOf(
  { cpus, memoryBytes }: ReplicaSize,
  volumeGb: number | undefined,
  hasGpu: boolean,
): Record<string, string> {
  return {
    cpu: `${Math.round(cpus * 1000)}m`,
    memory: String(memoryBytes),
    'ephemeral-storage': String(SCRATCH_BYTES + (volumeGb ?? 0) * 1e9),
    ...(hasGpu && { [GPU_RESOURCE]: '1' }),
  }
}

/** What is in memory counts against the replica's memory. */
function volumesOf(volumeGb: number | undefined): (V1Volume & { readonly path: string })[] {
  const temporary = TEMPORARY.map((path, at) => ({
    ...{ path, name: `temporary-${at}`, emptyDir: { medium: 'Memory', sizeLimit: String(TEMPORARY_BYTES) } },
  }))
  if (volumeGb === undefined) return temporary
  return [...temporary, { path: '/data', name: 'data', emptyDir: { sizeLimit: `${volumeGb}G` } }]
}

function placementOf({ label, values }: NonNullable<PodOptions['gpu']>) {
  const types = { key: label, operator: 'In', values: [...values] }
  return {
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [types] }] },
      },
    },
    // Nodes with GPUs keep others away.
    tolerations: [{ key: GPU_RESOURCE, operator: 'Exists' }],
  }
}
