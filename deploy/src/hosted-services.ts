import type { Runner } from '@millhand/process'
import { createDirectTransport, type Routes, serve } from '@millhand/rpc'

/** What each `createXService` makes. */
interface Service {
  routes(router: Routes): void
  /** Its background work, until the signal ends. */
  run(signal: AbortSignal): Promise<void>
}

/** The services of the process, which call each other without a network. */
export class HostedServices {
  readonly transport = createDirectTransport()
  /** Workforce's leases are asked for as compute's are, so they have a way of their own. */
  readonly workforceLeases = createDirectTransport()
  readonly #runner: Runner
  readonly #services: Service[] = []

  constructor(runner: Runner) {
    this.#runner = runner
  }

  host(name: string, service: Service): void {
    serve(service.routes, this.transport)
    this.#runner.run(name, signal => service.run(signal))
    this.#services.push(service)
  }

  routes(router: Routes): void {
    for (const service of this.#services) service.routes(router)
  }
}
