/** Places in a day's quota whose task never came: who took one may have died before it stored the task. */
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { Client } from '@connectrpc/connect'
import type { DailyPlace, DailyPlaces, QuotaService } from '@millhand/api/gen/millhand/identity/v1/quota_service_pb.ts'
import { type Clock, everyInterval } from '@millhand/runner'
import type { Log } from '@millhand/telemetry'
import { as } from '../in-name-of.ts'
import { ownerOf } from '../owner.ts'

interface LostPlacesDeps {
  readonly quota: Client<typeof QuotaService>
  readonly tasks: { get(tenant: string, id: string): Promise<object | undefined> }
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
export async function giveBackLostPlaces(deps: LostPlacesDeps, signal: AbortSignal): Promise<void> {
  const { clock, log } = deps
  let lookedTo = 0
  await everyInterval(clock, EVERY_MS, signal, async () => {
    const before = clock.now() - OVER_AFTER_MS
    try {
      for (const day of daysUntil(clock.now())) await lookThrough(deps, day, { from: lookedTo, before }, signal)
      lookedTo = before
    } catch (error) {
      log.warn('quota.not_looked_through', { error })
    }
  })
}

/** An operation may be repeated for a day after its id was made, and is looked for some time after that. */
const daysUntil = (now: number): readonly string[] =>
  [now - 2 * DAY_MS, now - DAY_MS, now].map(ms => new Date(ms).toISOString().slice(0, 10))

async function lookThrough(
  { quota, tasks, log }: LostPlacesDeps,
  day: string,
  taken: { readonly from: number; readonly before: number },
  signal: AbortSignal,
): Promise<void> {
  const [takenFrom, takenBefore] = [timestampFromMs(taken.from), timestampFromMs(taken.before)]
  for (let after = ''; !signal.aborted; ) {
    const { data } = await quota.listDaily({ day, after, takenFrom, takenBefore }, { timeoutMs: 5_000 })
    for (const { tenant, places } of data) {
      const lost: DailyPlace[] = []
      for (const place of places) if ((await tasks.get(tenant, place.id)) === undefined) lost.push(place)
      for (let at = 0; at < lost.length; at += MOST_AT_ONCE)
        await quota.releaseDaily({ day, ...namesOf(lost.slice(at, at + MOST_AT_ONCE)) }, as(ownerOf({ tenant })))
      if (lost.length > 0) log.info('quota.places_given_back', { tenant, day, places: lost.length })
    }
    const last: DailyPlaces | undefined = data.at(-1)
    if (last === undefined) return
    after = last.tenant
  }
}

const MOST_AT_ONCE = 1_000

const namesOf = (places: readonly DailyPlace[]) => ({
  ids: places.map(({ id }) => id),
  takenAt: places.flatMap(({ takenAt }) => takenAt ?? []),
})
