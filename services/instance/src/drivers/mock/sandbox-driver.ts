/**
 * The driver of test mode: a mock engine that ends with the process, and is restored from the records. So instances of
 * test mode outlive their process as those on a real engine do.
 */
import type { Clock } from '@millhand/process'
import type { Driver } from '../driver.ts'
import { createMockDriver, endLater } from './mock-driver.ts'
import { createMockEngine, type MockReplica } from './mock-engine.ts'

export interface SandboxOptions {
  readonly clock: Clock
  /** Replicas that fit, by GPU type. */
  readonly places: Readonly<Record<string, number>>
}

const HOST = 'mock'

export function createSandboxDriver({ clock, places }: SandboxOptions): Driver {
  const engine = createMockEngine({ clock, hosts: { [HOST]: places } })
  return {
    ...createMockDriver(engine),
    restore(replicas) {
      const restored = replicas.map(({ startedAt, ...spec }): [string, MockReplica] => [
        spec.name,
        { spec, createdAt: startedAt, startedAt, ports: spec.ports },
      ])
      const host = engine.hosts.get(HOST)
      host?.replicas.clear()
      for (const [name, replica] of restored) host?.replicas.set(name, replica)
      for (const replica of replicas) endLater(engine, replica)
    },
  }
}
