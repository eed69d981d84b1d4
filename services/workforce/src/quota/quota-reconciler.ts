/** Places in a day's quota whose task never came: who took one may have died before it stored the task. */
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { Client } from '@connectrpc/connect'
import type { DailyPlace, QuotaService } from '@millhand/api/gen/millhand/identity/v1/quota_service_pb.ts'
import { type Clock, everyInterval } from '@millhand/process'
import type { TaskBase } from '@millhand/task'
import type { Log } from '@millhand/telemetry'
import { onBehalfOf } from '../on-behalf-of.ts'
import { tenantPrincipal } from '../tenant-principal.ts'

interface ReconcilerDeps {
  readonly quota: Client<typeof QuotaService>
  readonly tasks: { get(tenant: string, id: string): Promise<Pick<TaskBase, 'is_fence'> | undefined> }
  readonly clock: Clock
  readonly log: Log
}

const EVERY_MS = 60_000
const DAY_MS = 86_400_000

/** A create is over by then, however clocks differ: its deadline is 15 s. */
const OVER_AFTER_MS = 300_000

/**
 * Gives them back until the signal ends. Where one process does, it is enough. A create that is repeated takes its place
 * again, and it is looked for later: a place in use is never given back, for it was taken at another time then.
 */
export async function reconcileQuota(deps: ReconcilerDeps, signal: AbortSignal): Promise<void> {
  const { clock, log } = deps
  let looks = new Map<string, Look>()
  await everyInterval(clock, EVERY_MS, signal, async () => {
    const days = daysUntil(clock.now())
    looks = new Map(days.map(day => [day, looks.get(day) ?? { from: 0, before: 0, after: '', failed: false }]))
    try {
      for (const [day, look] of looks) {
        if (look.after === '') look.before = clock.now() - OVER_AFTER_MS
        await lookThrough(deps, day, look, signal)
        Object.assign(look, { ...(!look.failed && { from: look.before }), after: '', failed: false })
      }
    } catch (error) {
      log.warn('quota.not_looked_through', { error })
    }
  })
}

/** How far a day is looked through: one that fails goes on where it was. */
interface Look {
  /** What is looked for was taken from then on, in milliseconds since 1970: what was taken before has been seen. */
  from: number
  /** And before then. */
  before: number
  /** The last tenant whose places have been seen; empty where none of this look's have. */
  after: string
  /** Whether those of a tenant could not be given back: the next look begins where this one did. */
  failed: boolean
}

/** An operation may be repeated for a day after its id was made, and is looked for some time after that. */
const daysUntil = (now: number): readonly string[] =>
  [now - 2 * DAY_MS, now - DAY_MS, now].map(ms => new Date(ms).toISOString().slice(0, 10))

async function lookThrough(deps: ReconcilerDeps, day: string, look: Look, signal: AbortSignal): Promise<void> {
  const { quota, log } = deps
  const [takenFrom, takenBefore] = [timestampFromMs(look.from), timestampFromMs(look.before)]
  while (!signal.aborted) {
    const asked = { day, after: look.after, takenFrom, takenBefore }
    const { data } = await quota.listDaily(asked, { timeoutMs: 5_000 })
    if (data.length === 0) return
    for (const { tenant, places } of data) {
      try {
        await giveBack(deps, day, tenant, places)
      } catch (error) {
        // It is looked at again with the next look at this day, and the others do not wait for it.
        look.failed = true
        log.warn('quota.not_looked_through', { tenant, day, error })
      }
      look.after = tenant
    }
  }
}

async function giveBack(
  { quota, tasks, log }: ReconcilerDeps,
  day: string,
  tenant: string,
  places: readonly DailyPlace[],
): Promise<void> {
  const lost = await lostOf(tasks, tenant, places)
  for (let at = 0; at < lost.length; at += MOST_AT_ONCE)
    await quota.releaseDaily(
      { day, ...namesOf(lost.slice(at, at + MOST_AT_ONCE)) },
      onBehalfOf(tenantPrincipal({ tenant })),
    )
  if (lost.length > 0) log.info('quota.places_given_back', { tenant, day, places: lost.length })
}

async function lostOf(tasks: ReconcilerDeps['tasks'], tenant: string, places: readonly DailyPlace[]) {
  const lost: DailyPlace[] = []
  for (let at = 0; at < places.length; at += LOOKED_UP_AT_ONCE) {
    const some = places.slice(at, at + LOOKED_UP_AT_ONCE)
    const found = await Promise.all(some.map(({ id }) => tasks.get(tenant, id)))
    lost.push(...some.filter((_, i) => found[i] === undefined || found[i].is_fence))
  }
  return lost
}

const MOST_AT_ONCE = 1_000
/** So many look-ups leave room for what callers ask of the store. */
const LOOKED_UP_AT_ONCE = 16

const namesOf = (places: readonly DailyPlace[]) => ({
  ids: places.map(({ id }) => id),
  takenAt: places.flatMap(({ takenAt }) => takenAt ?? []),
})
