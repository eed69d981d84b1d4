/** What every process of a distributed deployment has: what it shows to others, what it checks, how it reaches them. */
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import type { Transport } from '@connectrpc/connect'
import {
  createNetworkTransport,
  createPrincipalSigner,
  grants,
  mintServiceToken,
  outgoingHeaders,
} from '@millhand/rpc/network'
import { createTunnelTransport, type TunnelTransport } from '@millhand/rpc/tunnel'
import {
  type Address,
  ConfigurationError,
  systemClock as clock,
  type Health,
  type Runner,
  type Values,
} from '@millhand/runner'
import type { Log } from '@millhand/telemetry'
import { pick, required, variables } from '../variables.ts'

const certificates = pick('MILLHAND_TLS_CERT', 'MILLHAND_TLS_KEY', 'MILLHAND_TLS_CA')

/** What a process is told that calls others with nothing but its token. */
export const callingByToken = { MILLHAND_SERVICE_TOKEN: variables.MILLHAND_SERVICE_TOKEN, ...certificates }

/** What a process is told that checks who calls it, or says for whom it calls. */
export const trusted = { MILLHAND_SECRET_KEY: required(variables.MILLHAND_SECRET_KEY), ...certificates }

/** PEM. */
export interface Tls {
  readonly cert: string
  readonly key: string
  readonly ca: string
}

export interface Caller {
  readonly token: string
  readonly tls: Tls | undefined
  /** Signs principals; a process that names no account has none. */
  readonly secret?: Uint8Array
}

/** A process that has the secret makes its own token. */
export function trustedCaller(service: 'gateway' | 'compute', set: Values<typeof trusted>): Required<Caller> {
  const secret = Buffer.from(set.MILLHAND_SECRET_KEY.reveal())
  return { token: mintServiceToken(secret, grants[service]), tls: tlsOf(set), secret }
}

/** Certificates: all three or none. */
export function tlsOf(set: Values<typeof certificates>): Tls | undefined {
  const files = ['MILLHAND_TLS_CERT', 'MILLHAND_TLS_KEY', 'MILLHAND_TLS_CA'] as const
  const missing = files.filter(name => set[name] === undefined)
  if (missing.length === files.length) return undefined
  if (missing.length > 0) {
    throw new ConfigurationError([`${missing.join(' and ')} must be set too: certificates come as all three or none.`])
  }
  const [cert, key, ca] = files.map(name => {
    try {
      return readFileSync(set[name] as string, 'utf8')
    } catch (error) {
      throw new ConfigurationError([`${name} must be a file that can be read: ${(error as Error).message}.`])
    }
  })
  return { cert, key, ca } as Tls
}

/** Reaches the replicas of a service; `health` has, under the service's name, whether one is reached. */
export function reach(
  service: string,
  urls: readonly string[],
  caller: Caller,
  runner: Runner,
  log: Log,
  health: Health,
): TunnelTransport {
  const { tunnel, close } = openWay(service, urls, caller, log, () => tell())
  const tell = () => health.set(service, tunnel.ready(), `no replica of ${service} is connected`)
  tell()
  runner.own({ close }, `way to ${service}`)
  return tunnel
}

interface Way {
  readonly tunnel: TunnelTransport
  close(): Promise<void>
}

function openWay(service: string, urls: readonly string[], caller: Caller, log: Log, onEvent = () => {}): Way {
  const { token, tls, secret } = caller
  const replicas = urls.map(url => createNetworkTransport({ url, token, ...(tls && { tls }) }))
  const tunnel = createTunnelTransport({
    replicas,
    ...(secret && { headers: outgoingHeaders(createPrincipalSigner(secret, clock)) }),
    onEvent(event) {
      const reason = event.kind === 'lost' ? { reason: event.error.rawMessage } : {}
      log.info(`rpc.${event.kind}`, { service, url: urls[event.replica], ...reason })
      onEvent()
    },
  })
  tunnel.connect()
  return {
    tunnel,
    async close() {
      await tunnel.close()
      for (const replica of replicas) replica.close()
    },
  }
}

/** Reaches replicas of the own service, each by its address, once it is known. */
export function createPeers(caller: Caller, runner: Runner, log: Log): (address: string) => Transport {
  const peers = new Map<string, Way>()
  // Owned before any is known, so that they are closed after the server whose calls they pass on.
  runner.own({ close: async () => void (await Promise.all([...peers.values()].map(({ close }) => close()))) }, 'peers')
  return address => {
    const known = peers.get(address)
    if (known) return known.tunnel
    const way = openWay('compute', [address], caller, log)
    peers.set(address, way)
    return way.tunnel
  }
}

/** Where other replicas reach a server that listens here. */
export function advertised({ host }: Address, url: string): string {
  if (host !== '0.0.0.0' && host !== '::') return url
  const reachable = new URL(url)
  reachable.hostname = hostname()
  return reachable.origin
}
