/** A storm on webhooks in numbers. */
import { AFTERMATH_MS, type Books } from './deliveries.ts'
import { type Repeat, repeatsOf } from './repeats.ts'

export interface Figures {
  readonly events: number
  readonly endpoints: number
  readonly posts: number
  readonly accepted: number
  readonly faults: number
  readonly takeovers: number
  /** Posts of what had been accepted before, by their cause. */
  readonly repeats: Readonly<Record<Repeat['cause'], number>>
  /** From a change of state until a healthy endpoint had it: of what happened outside the faults, and of the rest. */
  readonly calmMs: Spread
  readonly faultMs: Spread
}

interface Spread {
  readonly count: number
  readonly p50: number
  readonly p99: number
  readonly most: number
}

/** What happens so soon before a fault is delayed by it. */
const JUST_BEFORE_MS = 1_000

/** `healthy` are the paths of those that answer at once; what happened before `warmAt` (Unix ms) was for warming up. */
export function figuresOf(books: Books, healthy: ReadonlySet<string>, warmAt = 0): Figures {
  const { endpoints, events, arrivals, windows } = books
  const repeats = repeatsOf(books)
  const caused = (by: Repeat['cause']) => repeats.filter(({ cause }) => cause === by).length
  const happened = new Map(events.map(({ id, at }) => [id, at]))
  const firsts = new Map<string, number>()
  for (const { path, event, at } of arrivals) {
    const delivery = `${path} ${event}`
    if (healthy.has(path)) firsts.set(delivery, Math.min(firsts.get(delivery) ?? at, at))
  }
  const took: Record<'calm' | 'fault', number[]> = { calm: [], fault: [] }
  for (const [delivery, at] of firsts) {
    const since = happened.get(delivery.split(' ')[1] as string)
    if (since === undefined || since < warmAt) continue
    const isAround = windows.some(({ began, over }) => began - JUST_BEFORE_MS <= since && since <= over + AFTERMATH_MS)
    took[isAround ? 'fault' : 'calm'].push(at - since)
  }
  return {
    events: events.length,
    endpoints: endpoints.length,
    posts: arrivals.length,
    accepted: arrivals.filter(({ isAccepted }) => isAccepted).length,
    faults: windows.length,
    takeovers: books.takeovers.length,
    repeats: { takeover: caused('takeover'), unanswered: caused('unanswered'), needless: caused('needless') },
    calmMs: spread(took.calm),
    faultMs: spread(took.fault),
  }
}

function spread(list: readonly number[]): Spread {
  const sorted = list.toSorted((a, b) => a - b)
  const at = (share: number) => Math.round(sorted[Math.ceil(sorted.length * share) - 1] ?? 0)
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), most: at(1) }
}
