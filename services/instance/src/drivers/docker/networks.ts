/** The networks of replicas on one host. */
import { createHash } from 'node:crypto'
import type { DriverFault } from '../driver.ts'
import { type Engine, EngineError } from './engine.ts'
import { DEPLOYMENT, TENANT } from './labels.ts'

/** The same name on all hosts, and short, for it is a DNS name too. */
export const networkName = (deployment: string, tenant: string): string =>
  `mh-${createHash('sha256').update(`${deployment}\n${tenant}`).digest('hex').slice(0, 20)}`

/**
 * The tenant's network: its replicas reach each other, and nothing else. It is internal, so nothing is routed out of it, and the
 * host itself has no address on it, so that what listens on the host can not be reached either.
 */
export async function ensureNetwork(
  engine: Engine,
  deployment: string,
  tenant: string,
  signal: AbortSignal,
): Promise<string> {
  const name = networkName(deployment, tenant)
  try {
    await engine.call('GET', `/networks/${name}`, { signal })
  } catch (error) {
    if (!(error instanceof EngineError) || error.status !== 404) throw error
    await createNetwork(engine, name, { [DEPLOYMENT]: deployment, [TENANT]: tenant }, signal)
  }
  return name
}

async function createNetwork(
  engine: Engine,
  name: string,
  labels: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  const body = {
    Name: name,
    CheckDuplicate: true,
    Driver: 'bridge',
    Internal: true,
    Labels: labels,
    Options: {
      'com.docker.network.bridge.inhibit_ipv4': 'true',
      // From Engine 28 on.
      'com.docker.network.bridge.gateway_mode_ipv4': 'isolated',
    },
  }
  try {
    await engine.call('POST', '/networks/create', { signal, body })
  } catch (error) {
    if (!(error instanceof EngineError && error.status === 409)) throw error // Else another call was faster.
  }
}

/** Removes the tenant's network where no replica is on it. */
export async function removeUnusedNetwork(engine: Engine, name: string, signal: AbortSignal): Promise<void> {
  try {
    await engine.call('DELETE', `/networks/${name}`, { signal })
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
  }
}

/**
 * Makes sure that a network is there that the operator has made, together with the firewall rules that keep what is on it from the
 * host and its neighbours, and that it keeps the replicas on it apart. Throws `missing`.
 */
export async function checkNetwork(
  engine: Engine,
  name: string | undefined,
  missing: DriverFault,
  signal: AbortSignal,
): Promise<string> {
  if (name === undefined) throw missing
  const found = (await engine.call('GET', `/networks/${encodeURIComponent(name)}`, { signal }).catch(error => {
    if (error instanceof EngineError && error.status === 404) return undefined
    throw error
  })) as { Options?: Record<string, string> | null } | undefined
  if (found?.Options?.['com.docker.network.bridge.enable_icc'] !== 'false') throw missing
  return name
}
