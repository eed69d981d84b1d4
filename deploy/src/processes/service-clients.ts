/** Clients of the services that a process calls, and of other replicas of its own service. */
import { hostname } from 'node:os'
import { type Address, systemClock as clock, createHealth, type Health, type Runner } from '@millhand/process'
import { withClientSpans } from '@millhand/rpc'
import { createNetworkTransport, createPrincipalSigner, outgoingHeaders } from '@millhand/rpc/network'
import { type ConnectivityEvent, createTunnelTransport, type TunnelTransport } from '@millhand/rpc/tunnel'
import type { Log } from '@millhand/telemetry'
import { type UrlVariable, urlVariable } from '../service-urls.ts'
import { type CalleeOf, calleesOf, isReadyWithout, type ServiceName } from '../services.ts'
import { dependencyHealth } from './dependency-health.ts'
import { type OwnCredentials, requireHttps, type Tls } from './own-credentials.ts'
import type { ReplicaConnection } from './replica-connections.ts'

/** Of each service the URLs of its replicas. */
type Addresses<Name extends string> = Readonly<Record<Name, readonly string[]>>

/** Where the services that it calls are reached. With certificates by `https:` alone. @throws ConfigurationError */
export function addressesOf<Name extends ServiceName>(
  service: Name,
  set: Readonly<Record<UrlVariable<CalleeOf<Name>>, readonly string[]>>,
  tls: Tls | undefined,
): Addresses<CalleeOf<Name>> {
  const names = calleesOf(service)
  requireHttps(tls, Object.fromEntries(names.map(name => [urlVariable(name), set[urlVariable(name)]])))
  return Object.fromEntries(names.map(name => [name, set[urlVariable(name)]])) as Addresses<CalleeOf<Name>>
}

export interface ConnectOptions {
  readonly caller: OwnCredentials
  readonly runner: Runner
  readonly log: Log
  /** Has, under the name of each service that it cannot do without, whether a replica is reached that is ready. */
  readonly health: Health
  /** Has the same of the services that it is ready without. */
  readonly optionalHealth?: Health
}

/** Connects to every service that `service` calls. */
export function connectServices<Name extends ServiceName>(
  service: Name,
  addresses: Addresses<CalleeOf<Name>>,
  { caller, runner, log, health, optionalHealth = createHealth() }: ConnectOptions,
): Readonly<Record<CalleeOf<Name>, TunnelTransport>> {
  const clients = calleesOf(service).map(callee => {
    const told = isReadyWithout(service, callee) ? optionalHealth : health
    return [callee, connect({ service: callee, urls: addresses[callee], caller, log }, runner, told)]
  })
  return Object.fromEntries(clients)
}

/** Connects to the replicas of a service; `health` has, under the service's name, whether one is reached that is ready. */
function connect(replicas: Replicas, runner: Runner, health: Health): TunnelTransport {
  const { service } = replicas
  const { tunnel, close } = openConnection({ ...replicas, onEvent: event => peer.onEvent(event.kind) })
  const tell = (ready: boolean) => health.set(service, ready, `no replica of ${service} is connected and ready`)
  const peer = dependencyHealth({ ready: () => tunnel.ready(), tell, clock })
  const stop = () => {
    peer.close()
    return close()
  }
  runner.own({ close: stop }, `connection to ${service}`)
  return tunnel
}

/**
 * A connection to another replica of the own service, for whoever closes it. A call waits for it no longer than
 * `REPLICA_WAIT_MS`: where that replica is dead another takes its place, and whoever calls again comes to that one.
 */
export function openReplica(service: string, url: string, caller: OwnCredentials, log: Log): ReplicaConnection {
  const open = () => openConnection({ service, urls: [url], caller, log, waitMs: REPLICA_WAIT_MS })
  // Event streams are as many as their readers, and may fill a tunnel: claims and renewals have one of their own.
  const [calls, streams] = [open(), open()]
  return {
    tunnel: { unary: calls.tunnel.unary, stream: streams.tunnel.stream },
    close: async () => void (await Promise.all([calls.close(), streams.close()])),
  }
}

/**
 * The tunnel itself finds a replica that is silent for 3 s, does not take a pause of this process or of the whole machine for its
 * silence, and closes the connection. Connect's pings do take it: they must not be what cuts a connection.
 */
const PING_TIMEOUT_MS = 60_000

/** Short, so that a call to a replica that has died soon fails, and is made again elsewhere. */
const REPLICA_WAIT_MS = 250

interface Replicas {
  readonly service: string
  readonly urls: readonly string[]
  readonly caller: OwnCredentials
  readonly log: Log
  readonly onEvent?: (event: ConnectivityEvent) => void
  readonly waitMs?: number
}

function openConnection({ service, urls, caller, log, onEvent, waitMs }: Replicas) {
  const { token, tls, secret } = caller
  const replicas = urls.map(url =>
    createNetworkTransport({ url, token, pingTimeoutMs: PING_TIMEOUT_MS, ...(tls && { tls }) }),
  )
  const tunnel = withClientSpans(
    createTunnelTransport({
      replicas,
      ...(waitMs !== undefined && { waitMs }),
      ...(secret && { headers: outgoingHeaders(createPrincipalSigner(secret).sign) }),
      onEvent(event) {
        const reason = event.kind === 'lost' ? { reason: event.error.rawMessage } : {}
        log.info(`rpc.${event.kind}`, { service, url: urls[event.replica], ...reason })
        onEvent?.(event)
      },
    }),
  )
  tunnel.connect()
  return {
    tunnel,
    async close() {
      await tunnel.close()
      for (const replica of replicas) replica.close()
    },
  }
}

/** Where other replicas reach a server that listens here. */
export function advertised({ host }: Address, url: string): string {
  if (host !== '0.0.0.0' && host !== '::') return url
  const reachable = new URL(url)
  reachable.hostname = hostname()
  return reachable.origin
}
