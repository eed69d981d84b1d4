/**
 * An engine that runs nothing, with the states, times and faults of a real one: for test mode, and for tests, which
 * keep the engine while the service restarts and make it lose what it has.
 */
import type { Clock } from '@millhand/process'
import type { ObservedReplica, ReplicaSpec } from '../driver.ts'

export interface MockEngine {
  readonly clock: Clock
  readonly hosts: Map<string, MockHost>
  /** Milliseconds from `create` to `running`. */
  readonly pullMs: number
  readonly startMs: number
  readonly watchers: Set<() => void>
  /** Ends a replica as its process would, at this moment. */
  end(name: string, exit: { readonly exitCode: number; readonly reason?: ObservedReplica['reason'] }): void
  /** When replicas ended that are not there any more, by name: the latest of them. */
  readonly ends: Map<string, number>
  /** Takes a replica off its host. */
  take(host: MockHost, name: string): void
  /** Removes a replica behind the driver's back. */
  vanish(name: string): void
  /** A host that is lost keeps its replicas, and they go on running. */
  setLost(host: string, isLost: boolean): void
}

export interface MockHost {
  readonly name: string
  /** Replicas that fit, by GPU type. */
  readonly places: Readonly<Record<string, number>>
  isLost: boolean
  readonly replicas: Map<string, MockReplica>
}

export interface MockReplica {
  readonly spec: Omit<ReplicaSpec, 'env' | 'registryCredential'>
  readonly createdAt: number
  readonly startedAt: number
  readonly ports: ObservedReplica['ports']
  /** What is observed of it, once it runs. */
  running?: ObservedReplica
  exit?: { readonly at: number; readonly exitCode: number; readonly reason?: ObservedReplica['reason'] }
}

export interface MockEngineOptions {
  readonly clock: Clock
  /** Hosts by name, with the replicas that fit by GPU type. */
  readonly hosts: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly pullMs?: number
  readonly startMs?: number
}

/** As many as a Docker engine keeps. */
const KEPT_ENDS = 256

export function createMockEngine({ clock, hosts, pullMs = 2000, startMs = 1000 }: MockEngineOptions): MockEngine {
  const watchers = new Set<() => void>()
  const changed = () => {
    for (const watcher of watchers) watcher()
  }
  const engine: MockEngine = {
    clock,
    pullMs,
    startMs,
    watchers,
    ends: new Map(),
    hosts: new Map(
      Object.entries(hosts).map(([name, places]) => [name, { name, places, isLost: false, replicas: new Map() }]),
    ),
    end(name, exit) {
      for (const { replicas } of engine.hosts.values()) {
        const replica = replicas.get(name)
        if (replica !== undefined && replica.exit === undefined) replica.exit = { at: clock.now(), ...exit }
      }
      changed()
    },
    take({ replicas }, name) {
      const replica = replicas.get(name)
      if (replica === undefined) return
      replicas.delete(name)
      engine.ends.set(name, replica.exit?.at ?? clock.now())
      const [oldest] = engine.ends.keys()
      if (oldest !== undefined && engine.ends.size > KEPT_ENDS) engine.ends.delete(oldest)
    },
    vanish(name) {
      for (const host of engine.hosts.values()) engine.take(host, name)
      changed()
    },
    setLost(host, isLost) {
      const found = engine.hosts.get(host)
      if (found === undefined) throw new Error(`the mock engine has no host ${host}`)
      found.isLost = isLost
      changed()
    },
  }
  return engine
}
