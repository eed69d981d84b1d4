import type { Runner } from '@millhand/process'
import { createDirectTransport, type Routes, serve, withClientSpans } from '@millhand/rpc'

/** What each `createXService` makes. */
interface Service {
  routes(router: Routes): void
  /** Its background work, until the signal ends. */
  run(signal: AbortSignal): Promise<void>
}

/** The services of the process, which call each other without a network. */
export class HostedServices {
  /** On which the services are served. */
  readonly served = createDirectTransport()
  /** How they and the gateway call each other. */
  readonly transport = withClientSpans(this.served)
  /** What workforce answers for its own tasks and compute for others, by the same methods: so it has a way of its own. */
  readonly workforceOwn = createDirectTransport()
  readonly #runner: Runner
  readonly #services: Service[] = []

  constructor(runner: Runner) {
    this.#runner = runner
  }

  host(name: string, service: Service): void {
    serve(service.routes, this.served)
    this.#runner.run(name, signal => service.run(signal))
    this.#services.push(service)
  }

  routes(router: Routes): void {
    for (const service of this.#services) service.routes(router)
  }
}
