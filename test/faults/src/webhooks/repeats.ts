/**
 * Posts that came although an earlier one of the same delivery was accepted. Deliveries are made at least once, so some
 * must be: what an owner had under way when it ended is posted again by the next, and what was not answered in time by
 * the same one. How many that are does not depend on how fast the machine is.
 */
import type { Takeover } from './tenures.ts'

/** A post that came whole. Times are milliseconds since 1970. */
export interface Post {
  readonly path: string
  /** `webhook-id`. */
  readonly event: string
  readonly at: number
  /** It was answered with 2xx. */
  readonly isAccepted: boolean
}

/** A try of a delivery as the product has it. */
export interface Try extends Pick<Post, 'path' | 'event'> {
  /** When it began. */
  readonly at: number
  /** Whether there was an answer, of whatever status. */
  readonly isAnswered: boolean
}

export interface Posts {
  readonly arrivals: readonly Post[]
  readonly takeovers: readonly Takeover[]
  readonly tries: readonly Try[]
}

export interface Repeat extends Pick<Post, 'path' | 'event' | 'at'> {
  /**
   * `takeover`: the owner ended that knew that it was accepted, perhaps before it wrote so. `unanswered`: it did not hear
   * so in time. `needless`: an owner posted again what it knew to be accepted.
   */
  readonly cause: 'takeover' | 'unanswered' | 'needless'
}

export function repeatsOf({ arrivals, takeovers, tries }: Posts): Repeat[] {
  const triesOf = Map.groupBy(tries, ({ path, event }) => `${path} ${event}`)
  const acceptedAt = new Map<string, number>()
  const causeOf = (delivery: string, before: number, at: number): Repeat['cause'] => {
    if (takeovers.some(({ began, over }) => began <= at && before <= over)) return 'takeover'
    const its = triesOf.get(delivery)?.findLast(each => each.at <= before)
    return its?.isAnswered === false ? 'unanswered' : 'needless'
  }
  return arrivals
    .toSorted((a, b) => a.at - b.at)
    .flatMap(({ path, event, at, isAccepted }) => {
      const delivery = `${path} ${event}`
      const before = acceptedAt.get(delivery)
      if (isAccepted) acceptedAt.set(delivery, at)
      return before === undefined ? [] : [{ path, event, at, cause: causeOf(delivery, before, at) }]
    })
}

/** How many posts to an endpoint are under way at once: `MAX_AT_ONCE` of the product. So many a takeover can repeat. */
const MOST_UNDER_WAY = 16

/** Those that no fault can cause, in words. */
export function tooManyRepeats(posts: Posts): string[] {
  const { takeovers } = posts
  const all = Map.groupBy(repeatsOf(posts), ({ cause }) => cause)
  const most = MOST_UNDER_WAY * takeovers.length
  const ofTakeovers = Map.groupBy(all.get('takeover') ?? [], ({ path }) => path)
  return [
    ...(all.get('needless') ?? []).map(
      ({ path, event, at }) => `${event} at ${path}: its owner posted it again at ${new Date(at).toISOString()}`,
    ),
    ...Array.from(ofTakeovers, ([path, { length }]) => ({ path, length })).flatMap(({ path, length }) =>
      length > most ? [`${length} posts to ${path} were repeated; ${takeovers.length} takeovers cause ${most}`] : [],
    ),
  ]
}
