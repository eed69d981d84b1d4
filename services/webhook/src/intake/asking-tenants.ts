/** Whose events somebody asks for: those are read at once, and the others not at all where the log is the archive. */
import type { LoggedEvent } from '@millhand/eventlog'
import { LRUCache } from 'lru-cache'
import type { Webhooks } from '../webhook.ts'

/** Tenants that are remembered to have an endpoint: beyond, the events of those longest quiet come some 20 ms later. */
const REMEMBERED = 10_000

/**
 * The end of `"callback":`, by which the JSON of an object says that it has one. What else contains it costs a reading, and
 * nothing more. Few characters of an event are a `b`, and many a quote: the whole of it takes ten times as long to look for.
 */
const CALLBACK = 'back":'

export class AskingTenants {
  readonly #webhooks: Pick<Webhooks, 'count'>
  readonly #asking = new LRUCache<string, true>({ max: REMEMBERED })

  constructor(webhooks: Pick<Webhooks, 'count'>) {
    this.#webhooks = webhooks
  }

  /** Whether its tenant had an enabled endpoint when this was last looked up, or its object has a callback. */
  isUrgent({ tenant, value }: Pick<LoggedEvent, 'tenant' | 'value'>): boolean {
    return (tenant !== undefined && this.#asking.has(tenant)) || value.includes(CALLBACK)
  }

  /** The events of tenants that have an enabled endpoint, those with a callback, and those of which it isn't known. */
  async wanted(events: readonly LoggedEvent[]): Promise<LoggedEvent[]> {
    const tenants = new Set(events.flatMap(({ tenant }) => tenant ?? []))
    const asking = new Set<string>()
    await Promise.all(
      [...tenants].map(async tenant => {
        if ((await this.#webhooks.count('by_status', { equals: [tenant, 'enabled'] }, 1)) === 0) {
          this.#asking.delete(tenant)
          return
        }
        asking.add(tenant)
        this.#asking.set(tenant, true)
      }),
    )
    return events.filter(({ tenant, value }) => tenant === undefined || asking.has(tenant) || value.includes(CALLBACK))
  }
}
