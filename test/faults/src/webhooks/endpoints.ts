/** Who asks for what, and how they answer: all of it from the seed. */
import type { Random } from '../random.ts'

/** How a customer's server behaves. */
export type Manner =
  | 'healthy'
  /** Its answer takes seconds. */
  | 'slow'
  /** Answers 500 at random, and not too often for one event. */
  | 'flaky'
  /** Nobody listens. */
  | 'refusing'
  /** Takes the post and breaks the connection. */
  | 'resetting'
  | 'redirecting'
  /** Takes the post and says nothing. */
  | 'silent'

export interface Plan {
  /** The number of its tenant. */
  readonly tenant: number
  readonly patterns: readonly string[]
  readonly manner: Manner
  readonly signature: 'v1' | 'v1a'
  /** What happens to it in the middle of the storm: it is made then, or ends then. */
  readonly life: 'stays' | 'is made late' | 'is deleted' | 'is disabled'
}

const bad: readonly Manner[] = ['slow', 'flaky', 'refusing', 'resetting', 'redirecting', 'silent']
const lives: readonly Plan['life'][] = ['is made late', 'is deleted', 'is disabled']

/** Five for each tenant; one in five does not answer as it should, another one comes or goes. */
export function endpointsOf(tenants: number, { next, between }: Random): Plan[] {
  const [firstBad, firstLife] = [between(0, bad.length - 1), between(0, lives.length - 1)]
  return Array.from({ length: tenants }, (_, tenant) => {
    const plan = (patterns: readonly string[], more: Partial<Plan> = {}): Plan => ({
      tenant,
      patterns,
      manner: 'healthy',
      signature: next() < 0.3 ? 'v1a' : 'v1',
      life: 'stays',
      ...more,
    })
    return [
      plan([next() < 0.3 ? '*' : 'task.*']),
      plan(['task.succeeded', 'task.cancelled']),
      plan(['task.succeeded', 'task.cancelled'], { manner: bad[(firstBad + tenant) % bad.length] as Manner }),
      plan(['task.queued'], { life: lives[(firstLife + tenant) % lives.length] as Plan['life'] }),
      plan(next() < 0.5 ? ['task.started', 'task.retrying'] : ['batch.*']),
    ]
  }).flat()
}
