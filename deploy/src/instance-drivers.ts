/** What runs the instances of each mode. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DockerDriverOptions } from '@millhand/instance/docker'
import type { Driver } from '@millhand/instance/driver'
import { createSandboxDriver } from '@millhand/instance/sandbox'
import { type Clock, ConfigurationError, type Runner, type Values } from '@millhand/process'
import type { instanceVariables } from './instance-variables.ts'

export type InstanceDriver =
  | { readonly kind: 'none' | 'mock' }
  | { readonly kind: 'docker'; readonly options: Omit<DockerDriverOptions, 'clock'> }

/** @throws ConfigurationError for certificates that are missing or can't be read */
export function instanceDriverOf(set: Values<typeof instanceVariables>): InstanceDriver {
  const { MILLHAND_INSTANCE_DRIVER: kind } = set
  if (kind !== 'docker') return { kind }
  const hosts = set.MILLHAND_DOCKER_HOST ?? [set.DOCKER_HOST]
  const certificates = set.MILLHAND_DOCKER_CERT_PATH
  const {
    MILLHAND_INSTANCE_REGISTRIES: registries,
    MILLHAND_INSTANCE_PRELOADED: preloaded,
    MILLHAND_DOCKER_PUBLIC_NETWORK: publicNetwork,
  } = set
  return {
    kind,
    options: {
      deployment: set.MILLHAND_DOCKER_DEPLOYMENT,
      hosts: hosts.map(url => engineAddress(url, certificates)),
      sizes: set.MILLHAND_INSTANCE_SIZES,
      images: { ...(registries && { registries }), ...(preloaded && { preloaded }) },
      ...(publicNetwork !== undefined && { publicNetwork }),
    },
  }
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

/** The runner closes their connections. What talks to engines is loaded only where some are configured. */
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
  }
}
