/**
 * What is left on a host of replicas that have gone: their volumes, and the networks of tenants that have no replica any more. The
 * removal of a replica removes both, but a replica can vanish without us, and a call can break off.
 */
import { type Engine, EngineError } from './engine.ts'
import { DEPLOYMENT, filtersOf, type Labels, TENANT } from './labels.ts'
import { removeNetwork } from './networks.ts'

export interface Leftovers {
  /** Notes that there may be some: a replica has gone, or could not be made. */
  note(): void
  /** Keeps the network of a tenant while a replica is being made on it. */
  keeping<T>(tenant: string, make: () => Promise<T>): Promise<T>
  /** Removes them, if something was noted since; false where there was nothing to do. */
  sweep(signal: AbortSignal): Promise<boolean>
}

export function createLeftovers(engine: Engine, deployment: string): Leftovers {
  /** What an owner before this one has left is swept at the start. */
  let isDue = true
  /** How many replicas are being made, by tenant. */
  const making = new Map<string, number>()
  const filters = filtersOf({ [DEPLOYMENT]: deployment })
  const get = (path: string, signal: AbortSignal) => engine.call('GET', path + filters, { signal })

  async function sweepAll(signal: AbortSignal): Promise<void> {
    // Before the containers: what another process makes meanwhile is not looked at.
    const { Volumes } = (await get('/volumes?', signal)) as { readonly Volumes: readonly Volume[] | null }
    const networks = (await get('/networks?', signal)) as Network[]
    const containers = (await get('/containers/json?all=1&', signal)) as Container[]
    const names = new Set(containers.flatMap(({ Names }) => Names.map(name => name.replace(/^\//, ''))))
    const tenants = new Set([...containers.map(tenantOf), ...making.keys()])
    for (const { Name } of Volumes ?? []) if (!names.has(Name) && !(await removeVolume(Name, signal))) isDue = true
    for (const network of networks)
      if (!tenants.has(tenantOf(network)) && !(await removeNetwork(engine, network.Id, signal))) isDue = true
  }

  /** False where the engine keeps it, for it is used. */
  async function removeVolume(name: string, signal: AbortSignal): Promise<boolean> {
    try {
      await engine.call('DELETE', `/volumes/${encodeURIComponent(name)}`, { signal })
      return true
    } catch (error) {
      if (!(error instanceof EngineError)) throw error
      return error.status === 404
    }
  }

  return {
    note() {
      isDue = true
    },
    async keeping(tenant, make) {
      making.set(tenant, (making.get(tenant) ?? 0) + 1)
      try {
        return await make()
      } catch (error) {
        isDue = true
        throw error
      } finally {
        const others = (making.get(tenant) ?? 1) - 1
        if (others > 0) making.set(tenant, others)
        else making.delete(tenant)
      }
    },
    async sweep(signal) {
      if (!isDue) return false
      isDue = false
      try {
        await sweepAll(signal)
        return true
      } catch (error) {
        isDue = true
        throw error
      }
    },
  }
}

interface Volume {
  readonly Name: string
}

interface Network {
  readonly Id: string
  readonly Labels?: Labels | null
}

interface Container {
  readonly Names: readonly string[]
  readonly Labels?: Labels | null
}

const tenantOf = ({ Labels }: { readonly Labels?: Labels | null }): string => Labels?.[TENANT] ?? ''
