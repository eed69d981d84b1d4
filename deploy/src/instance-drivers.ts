/** What runs the instances of each mode. */
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import type { ExecutorImage } from '@millhand/instance'
import type { DockerDriverOptions } from '@millhand/instance/docker'
import type { Driver } from '@millhand/instance/driver'
import type { KubernetesDriverOptions } from '@millhand/instance/kubernetes'
import { createSandboxDriver } from '@millhand/instance/sandbox'
import { type Clock, ConfigurationError, type Runner, type Values } from '@millhand/process'
import type { instanceVariables } from './instance-variables.ts'

export type InstanceDriver =
  | { readonly kind: 'none' | 'mock' }
  | { readonly kind: 'docker'; readonly options: Omit<DockerDriverOptions, 'clock'> }
  | { readonly kind: 'kubernetes'; readonly options: Omit<KubernetesDriverOptions, 'clock'> }

/** @throws ConfigurationError for certificates that are missing or can't be read */
export function instanceDriverOf(set: Values<typeof instanceVariables>): InstanceDriver {
  const { MILLHAND_INSTANCE_DRIVER: kind } = set
  const { MILLHAND_INSTANCE_REGISTRIES: registries, MILLHAND_INSTANCE_PRELOADED: preloaded } = set
  const images = { ...(registries && { registries }), ...(preloaded && { preloaded }) }
  const sizes = set.MILLHAND_INSTANCE_SIZES
  switch (kind) {
    case 'docker':
      return {
        kind,
        options: { ...dockerOptions(set), sizes, images: { ...images, mostBytes: set.MILLHAND_DOCKER_IMAGE_GB * 1e9 } },
      }
    case 'kubernetes':
      return { kind, options: { ...kubernetesOptions(set), sizes, images } }
    default:
      return { kind }
  }
}

function dockerOptions(set: Values<typeof instanceVariables>) {
  const hosts = set.MILLHAND_DOCKER_HOST ?? [set.DOCKER_HOST]
  const {
    MILLHAND_DOCKER_CERT_PATH: certificates,
    MILLHAND_DOCKER_PUBLIC_NETWORK: publicNetwork,
    MILLHAND_DOCKER_EXECUTOR_NETWORK: executorNetwork,
  } = set
  return {
    deployment: set.MILLHAND_DOCKER_DEPLOYMENT,
    hosts: hosts.map(url => engineAddress(url, certificates)),
    ...(publicNetwork !== undefined && { publicNetwork }),
    ...(executorNetwork !== undefined && { executorNetwork }),
  }
}

function kubernetesOptions(set: Values<typeof instanceVariables>) {
  const { MILLHAND_KUBECONFIG: kubeConfig, MILLHAND_KUBERNETES_NODES: nodeSelector } = set
  return {
    deployment: set.MILLHAND_KUBERNETES_DEPLOYMENT,
    namespacePrefix: set.MILLHAND_KUBERNETES_NAMESPACE_PREFIX,
    gpuLabel: set.MILLHAND_KUBERNETES_GPU_LABEL,
    podsOfTenant: set.MILLHAND_KUBERNETES_ACCOUNT_PODS,
    ...(kubeConfig !== undefined && { kubeConfig }),
    ...(nodeSelector !== undefined && { nodeSelector }),
  }
}

/**
 * What executors in instances are made of; undefined where there are none. @throws ConfigurationError where only a part is set, or
 * the URL has a name
 */
export function executorImageOf(set: Values<typeof instanceVariables>): ExecutorImage | undefined {
  const names = [
    'MILLHAND_EXECUTOR_IMAGE',
    'MILLHAND_EXECUTOR_COMPUTE_URL',
    'MILLHAND_DOCKER_EXECUTOR_NETWORK',
  ] as const
  const missing = names.filter(name => set[name] === undefined)
  if (missing.length === names.length) return undefined
  if (missing.length > 0)
    throw new ConfigurationError([`${missing.join(' and ')} must be set too: ${names.join(', ')} belong together.`])
  const { MILLHAND_EXECUTOR_IMAGE: image = '', MILLHAND_EXECUTOR_COMPUTE_URL: [url = '', ...others] = [] } = set
  if (others.length > 0 || isIP(new URL(url).hostname.replace(/^\[(.*)\]$/, '$1')) === 0)
    throw new ConfigurationError(['MILLHAND_EXECUTOR_COMPUTE_URL must be one URL with an IP address.'])
  return { image, url }
}

/** Whoever reaches an engine is root on its host, so one that is reached over a network wants certificates. */
function engineAddress(url: string, certificates: string | undefined): DockerDriverOptions['hosts'][number] {
  if (url.startsWith('unix:')) return { url }
  if (!url.startsWith('tcp:'))
    throw new ConfigurationError([
      'DOCKER_HOST must be a URL of unix: or tcp:; MILLHAND_DOCKER_HOST can be set in its place.',
    ])
  if (certificates === undefined) {
    const fault = `MILLHAND_DOCKER_CERT_PATH has to be set for ${url}: engines are reached over a network with certificates only.`
    throw new ConfigurationError([fault])
  }
  const [ca = '', cert = '', key = ''] = ['ca.pem', 'cert.pem', 'key.pem'].map(name => pem(join(certificates, name)))
  return { url, tls: { ca, cert, key } }
}

function pem(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigurationError([`MILLHAND_DOCKER_CERT_PATH: ${(error as Error).message}.`])
  }
}

/** Replicas that fit on a mock engine, of all accounts together. */
const PLACES = { cpu: 10_000, 'nvidia-h100-80gb-hbm3': 1_000 }

/**
 * The runner closes their connections. What talks to engines is loaded only where some are configured.
 * @throws ConfigurationError for a cluster's configuration that is missing or can't be read
 */
export async function instanceDrivers(
  configured: InstanceDriver,
  { clock, runner }: { readonly clock: Clock; readonly runner: Runner },
): Promise<Readonly<Record<'live' | 'test', Driver | undefined>>> {
  const mock = () => createSandboxDriver({ clock, places: PLACES })
  switch (configured.kind) {
    case 'none':
      return { live: undefined, test: mock() }
    case 'mock':
      return { live: mock(), test: mock() }
    case 'docker': {
      const { createDockerDriver } = await import('@millhand/instance/docker')
      const docker = createDockerDriver({ ...configured.options, clock })
      const close = async () => await docker[Symbol.asyncDispose]()
      runner.own({ close }, 'container engines')
      return { live: docker, test: mock() }
    }
    case 'kubernetes': {
      const kubernetes = await kubernetesDriver({ ...configured.options, clock })
      const close = async () => await kubernetes[Symbol.asyncDispose]()
      runner.own({ close }, 'cluster')
      return { live: kubernetes, test: mock() }
    }
  }
}

/** The client takes 0.4 s and 90 MB to load, so nobody loads it who has no cluster. */
async function kubernetesDriver(options: KubernetesDriverOptions) {
  const { createKubernetesDriver } = await import('@millhand/instance/kubernetes')
  try {
    return createKubernetesDriver(options)
  } catch (error) {
    throw new ConfigurationError([
      `MILLHAND_KUBECONFIG: the cluster's configuration can't be used: ${(error as Error).message}.`,
    ])
  }
}
