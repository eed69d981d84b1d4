/** A real Docker engine with images that need no registry, and a driver on it. */
import { rm } from 'node:fs/promises'
import { type Clock, systemClock } from '@millhand/process'
import { busyboxRoot, type Docker, startDocker } from '@millhand/test-servers'
import type { ReplicaSizes } from '../replica-size.ts'
import { createDockerDriver, type DockerDriver, type DockerDriverOptions } from './docker-driver.ts'

export const images = {
  runs: 'millhand-test/runs',
  missing: 'millhand-test/missing',
  exits: 'millhand-test/exits',
  eatsMemory: 'millhand-test/eats-memory',
  noCommand: 'millhand-test/no-command',
  ignoresSignals: 'millhand-test/ignores-signals',
}

const scripts: Readonly<Record<string, string>> = {
  runs: 'echo started; trap "echo ended; exit 0" TERM; while :; do sleep 0.1; done',
  exits: 'echo failing; exit 1',
  // In the memory of this process: a text that doubles.
  'eats-memory': 'echo started; x=xxxxxxxxxxxxxxxx; while :; do x=$x$x; done',
  'ignores-signals': 'trap "" TERM INT HUP; echo started; while :; do sleep 0.1; done',
}

/** Small, so that many fit. */
const sizes: ReplicaSizes = {
  cpu: { cpus: 0.1, memoryBytes: 64 * 2 ** 20, pids: 32 },
  h100: { cpus: 0.1, memoryBytes: 64 * 2 ** 20, pids: 32 },
}

/** An engine that has the images, but `missing`. */
export async function startDockerWithImages(options: Parameters<typeof startDocker>[0] = {}): Promise<Docker> {
  const docker = await startDocker(options)
  const root = await busyboxRoot()
  try {
    for (const [name, script] of Object.entries(scripts))
      await docker.importImage(root, `millhand-test/${name}`, [`ENTRYPOINT ${JSON.stringify(['sh', '-c', script])}`])
    await docker.importImage(root, images.noCommand, ['ENTRYPOINT ["/bin/never"]'])
    return docker
  } catch (error) {
    await docker[Symbol.asyncDispose]()
    throw error
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

export function driverOf(
  dockers: readonly Pick<Docker, 'address'>[],
  more: Partial<DockerDriverOptions> & { readonly clock?: Clock } = {},
): DockerDriver {
  return createDockerDriver({
    ...{ deployment: 'test', sizes, graceSeconds: 2, clock: systemClock },
    hosts: dockers.map(({ address }) => ({ url: address })),
    images: { preloaded: Object.values(images) },
    ...more,
  })
}
