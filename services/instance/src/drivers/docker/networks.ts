/** The networks of replicas on one host. */
import { createHash } from 'node:crypto'
import { DriverFault } from '../driver.ts'
import { type Engine, EngineError } from './engine.ts'
import { DEPLOYMENT, filtersOf, TENANT } from './labels.ts'

/** The same on all hosts, and short, for it is a DNS name too. */
const networkName = (deployment: string, tenant: string): string =>
  `mh-${createHash('sha256').update(`${deployment}\n${tenant}`).digest('hex').slice(0, 20)}`

/**
 * The id of the tenant's network: its replicas reach each other, and nothing else. It is internal, so nothing is routed out of it,
 * and the host itself has no address on it, so that what listens on the host can not be reached either.
 *
 * An engine that is asked by two processes at once makes two networks of one name, and then knows neither by it. So networks are
 * found by their labels and used by their id, and of several one is left.
 */
export async function ensureNetwork(
  engine: Engine,
  deployment: string,
  tenant: string,
  signal: AbortSignal,
): Promise<string> {
  let found = await tenantNetworks(engine, deployment, tenant, signal)
  if (found.length === 0) {
    await createNetwork(engine, deployment, tenant, signal)
    found = await tenantNetworks(engine, deployment, tenant, signal)
  }
  return await oneOf(engine, found, signal)
}

/**
 * The oldest, unless another one is used. An engine shows a network some time after the `Created` that it gives it, so the older of
 * two can come into the list when a replica is on the younger already. A process that saw one network alone has that one, and the
 * engine removes none on which a replica is: so at most one is used, and a replica whose network was removed before it started is
 * made again.
 */
async function oneOf(
  engine: Engine,
  [oldest, ...others]: readonly ListedNetwork[],
  signal: AbortSignal,
): Promise<string> {
  if (oldest === undefined) throw new DriverFault('unavailable', 'A network of the host was removed meanwhile.')
  let used: string | undefined
  for (const { Id } of others) if (!(await removeNetwork(engine, Id, signal))) used ??= Id
  return used !== undefined && (await removeNetwork(engine, oldest.Id, signal)) ? used : oldest.Id
}

interface ListedNetwork {
  readonly Id: string
  readonly Created: string
}

/** The oldest first. */
async function tenantNetworks(
  engine: Engine,
  deployment: string,
  tenant: string,
  signal: AbortSignal,
): Promise<ListedNetwork[]> {
  const labels = { [DEPLOYMENT]: deployment, [TENANT]: tenant }
  const found = (await engine.call('GET', `/networks?${filtersOf(labels)}`, { signal })) as ListedNetwork[]
  return found.sort((one, other) => Date.parse(one.Created) - Date.parse(other.Created) || (one.Id < other.Id ? -1 : 1))
}

async function createNetwork(engine: Engine, deployment: string, tenant: string, signal: AbortSignal): Promise<void> {
  const body = {
    Name: networkName(deployment, tenant),
    CheckDuplicate: true,
    Driver: 'bridge',
    Internal: true,
    Labels: { [DEPLOYMENT]: deployment, [TENANT]: tenant },
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

/** Removes the tenant's networks on which no replica is. */
export async function removeUnusedNetworks(
  engine: Engine,
  deployment: string,
  tenant: string,
  signal: AbortSignal,
): Promise<void> {
  for (const { Id } of await tenantNetworks(engine, deployment, tenant, signal)) await removeNetwork(engine, Id, signal)
}

/** False where the engine keeps it, for it is used; one that a container is about to use is made again with the container. */
export async function removeNetwork(engine: Engine, id: string, signal: AbortSignal): Promise<boolean> {
  try {
    await engine.call('DELETE', `/networks/${id}`, { signal })
    return true
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    return error.status === 404
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
