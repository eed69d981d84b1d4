/** Places in a day's quota whose task never came: who took one may have died before it stored the task. */
import type { Client } from '@connectrpc/connect'
import { idTime, parseId } from '@millhand/api'
import type { DailyPlaces, QuotaService } from '@millhand/api/gen/millhand/identity/v1/quota_service_pb.ts'
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

/** Every so many times all are looked at, also those whose task was looked for: a create may have been repeated since. */
const ALL_EVERY = 60

/** Gives them back until the signal ends. Where one process does, it is enough. */
export async function giveBackLostPlaces(deps: LostPlacesDeps, signal: AbortSignal): Promise<void> {
  const { clock, log } = deps
  let lookedTo = 0
  let passes = 0
  await everyInterval(clock, EVERY_MS, signal, async () => {
    const until = clock.now() - OVER_AFTER_MS
    const from = passes++ % ALL_EVERY === 0 ? 0 : lookedTo
    try {
      for (const day of new Set([dayOf(clock.now() - DAY_MS), dayOf(clock.now())])) {
        await lookThrough(deps, day, { from, until }, signal)
      }
      lookedTo = until
    } catch (error) {
      log.warn('quota.not_looked_through', { error })
    }
  })
}

async function lookThrough(
  { quota, tasks, log }: LostPlacesDeps,
  day: string,
  made: { readonly from: number; readonly until: number },
  signal: AbortSignal,
): Promise<void> {
  for (let after = ''; !signal.aborted; ) {
    const { data } = await quota.listDaily({ day, after }, { timeoutMs: 5_000 })
    for (const { tenant, ids } of data) {
      const lost: string[] = []
      for (const id of ids.filter(id => isWithin(id, made)))
        if ((await tasks.get(tenant, id)) === undefined) lost.push(id)
      if (lost.length === 0) continue
      await quota.releaseDaily({ day, ids: lost.slice(0, MOST_AT_ONCE) }, as(ownerOf({ tenant })))
      log.info('quota.places_given_back', { tenant, day, places: lost.length })
    }
    const last: DailyPlaces | undefined = data.at(-1)
    if (last === undefined) return
    after = last.tenant
  }
}

const MOST_AT_ONCE = 1_000

function isWithin(text: string, { from, until }: { readonly from: number; readonly until: number }): boolean {
  const id = parseId('wtask', text)
  if (id === undefined) return false
  const at = idTime(id)
  return at >= from && at < until
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
