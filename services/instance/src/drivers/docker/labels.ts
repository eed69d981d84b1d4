/** What the driver must know of a container, in the container's labels. */
import type { ReplicaIdentity } from '../driver.ts'

/** Whose containers, networks and volumes are ours. */
export const DEPLOYMENT = 'millhand.deployment'

export const TENANT = 'millhand.tenant'

/** The ids of the GPUs that a container has, comma-separated. */
const DEVICES = 'millhand.devices'

const INSTANCE = 'millhand.instance'
const INDEX = 'millhand.index'
const GENERATION = 'millhand.generation'
const GPU = 'millhand.gpu'

export type Labels = Readonly<Record<string, string>>

/** All of them, always: an image may bring labels of its own, and a container inherits those that it does not set. */
export function labelsOf(deployment: string, replica: ReplicaIdentity, devices: readonly string[]): Labels {
  return {
    [DEPLOYMENT]: deployment,
    [TENANT]: replica.tenant,
    [INSTANCE]: replica.instance,
    [INDEX]: String(replica.index),
    [GENERATION]: String(replica.generation),
    [GPU]: replica.gpu,
    [DEVICES]: devices.join(','),
  }
}

export function identityOf(name: string, labels: Labels): ReplicaIdentity {
  return {
    name,
    tenant: labels[TENANT] ?? '',
    instance: labels[INSTANCE] ?? '',
    index: Number(labels[INDEX] ?? 0),
    generation: Number(labels[GENERATION] ?? 0),
    gpu: labels[GPU] ?? 'cpu',
  }
}

export const devicesOf = (labels: Labels): string[] => (labels[DEVICES] ?? '').split(',').filter(id => id !== '')

/** The query of calls that list things, for those that have these labels. */
export const filtersOf = (labels: Labels, more: Readonly<Record<string, readonly string[]>> = {}): string =>
  `filters=${encodeURIComponent(
    JSON.stringify({ label: Object.entries(labels).map(([label, value]) => `${label}=${value}`), ...more }),
  )}`
