/** What customers' servers were told in a run with faults, held against what they asked for and what the log says. */
import { isDeepStrictEqual } from 'node:util'
import { type Post, type Posts, tooManyRepeats } from './repeats.ts'

/** Times are milliseconds since 1970, all by one clock. */
export interface Endpoint {
  /** The path at which it is posted to. */
  readonly path: string
  /** Account and mode. */
  readonly tenant: string
  readonly patterns: readonly string[]
  /** It stays, and answers in the end: whatever it asked for has to reach it. */
  readonly isLiving: boolean
  /** When its making was asked for, and answered. */
  readonly asked: number
  readonly made: number
  /** When its end was answered: it was deleted or disabled. */
  readonly ended?: number
}

/** An event of the log. */
export interface Happened {
  readonly id: string
  readonly tenant: string
  readonly type: string
  readonly at: number
  /** As the log has it. */
  readonly value: string
}

export interface Arrival extends Post {
  readonly body: string
  readonly isSigned: boolean
}

/** A fault, from its beginning until it was over. */
export interface Window {
  readonly began: number
  readonly over: number
}

export interface Books extends Posts {
  readonly endpoints: readonly Endpoint[]
  readonly events: readonly Happened[]
  readonly arrivals: readonly Arrival[]
  readonly windows: readonly Window[]
}

/** How long after a fault there are takeovers, repeats and late posts because of it. */
export const AFTERMATH_MS = 5_000
/** An endpoint may hear of what happened so long before it was made: two machines' clocks. */
const CLOCKS_MS = 2_000
/** A post may have been under way when its endpoint ended. */
const UNDER_WAY_MS = 5_000

/** Every breach of the promises, in words; none where all of them were kept. */
export function violations(books: Books): string[] {
  return [
    ...missing(books).map(words => `${words}: never came`),
    ...strange(books),
    ...changed(books),
    ...books.arrivals.flatMap(({ path, event, isSigned }) =>
      isSigned ? [] : [`${event} at ${path}: its signature is wrong`],
    ),
    ...tooManyRepeats(books),
  ]
}

/** What has not reached a living endpoint that asked for it, in words. */
export function missing({
  endpoints,
  events,
  arrivals,
}: Pick<Books, 'endpoints' | 'events'> & {
  readonly arrivals: readonly Pick<Arrival, 'path' | 'event' | 'isAccepted'>[]
}): string[] {
  const accepted = new Set(arrivals.flatMap(({ path, event, isAccepted }) => (isAccepted ? [`${path} ${event}`] : [])))
  const eventsOf = Map.groupBy(events, ({ tenant }) => tenant)
  return endpoints.flatMap(({ path, tenant, patterns, isLiving, made }) =>
    (isLiving ? (eventsOf.get(tenant) ?? []) : [])
      .filter(({ id, type, at }) => at >= made && isAskedFor(patterns, type) && !accepted.has(`${path} ${id}`))
      .map(({ id, type, at }) => `${id} (${type}, of ${new Date(at).toISOString()}) at ${path}`),
  )
}

/** What came to somebody who had not asked for it. */
function strange({ endpoints, events, arrivals, windows }: Books): string[] {
  const endpointAt = new Map(endpoints.map(endpoint => [endpoint.path, endpoint]))
  const eventOf = new Map(events.map(event => [event.id, event]))
  return arrivals.flatMap(({ path, event: id, at }) => {
    const why = whyStrange(endpointAt.get(path), eventOf.get(id), at, windows)
    return why === undefined ? [] : [`${id} at ${path}: ${why}`]
  })
}

function whyStrange(
  endpoint: Endpoint | undefined,
  event: Happened | undefined,
  at: number,
  windows: readonly Window[],
): string | undefined {
  if (!endpoint) return 'nobody asked there'
  if (!event) return 'is not in the log'
  const { tenant, patterns, asked, ended } = endpoint
  if (event.tenant !== tenant) return `is of ${event.tenant}, not ${tenant}`
  if (!isAskedFor(patterns, event.type)) return `is a ${event.type}, not asked for`
  if (event.at < asked - CLOCKS_MS) return 'happened before the endpoint was made'
  if (ended === undefined) return undefined
  if (event.at > ended) return 'happened after the end of the endpoint'
  return at > calmAfter(ended + UNDER_WAY_MS, windows) ? 'came after the end of the endpoint' : undefined
}

/** The first moment from `at` on that no fault is to blame for. */
function calmAfter(at: number, windows: readonly Window[]): number {
  const around = windows.find(({ began, over }) => began <= at && at < over + AFTERMATH_MS)
  return around ? calmAfter(around.over + AFTERMATH_MS, windows) : at
}

/** Bodies that are not the event, and those that are not the same at each try. */
function changed({ events, arrivals }: Books): string[] {
  const eventOf = new Map(events.map(event => [event.id, event]))
  const bodyOf = new Map<string, string>()
  return arrivals.flatMap(({ path, event: id, body }) => {
    const first = bodyOf.get(id)
    if (first !== undefined) return first === body ? [] : [`${id} at ${path}: has another body than before`]
    bodyOf.set(id, body)
    const event = eventOf.get(id)
    return !event || isBodyOf(body, event) ? [] : [`${id} at ${path}: its body is not the event`]
  })
}

function isBodyOf(body: string, { value }: Happened): boolean {
  const { created_at: timestamp, ...rest } = JSON.parse(value)
  return isDeepStrictEqual(JSON.parse(body), { ...rest, timestamp })
}

function isAskedFor(patterns: readonly string[], type: string): boolean {
  return patterns.some(pattern => (pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : pattern === type))
}
