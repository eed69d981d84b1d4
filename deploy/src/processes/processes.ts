/** How the process of each service is loaded: only where it is needed, for the libraries of the others take a third of a start. */
import type { Process } from '../process.ts'
import type { ServiceName } from '../services.ts'

export const processes: Readonly<Record<ServiceName, () => Promise<Process>>> = {
  gateway: async () => (await import('./gateway.ts')).gateway,
  identity: async () => (await import('./identity.ts')).identity,
  compute: async () => (await import('./compute.ts')).compute,
  workforce: async () => (await import('./workforce.ts')).workforce,
  executor: async () => (await import('./executor.ts')).executor,
  billing: async () => (await import('./billing.ts')).billing,
  webhook: async () => (await import('./webhook.ts')).webhook,
}
