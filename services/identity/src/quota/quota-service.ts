/** The daily quota of workforce tasks. */
import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt'
import type { HandlerContext } from '@connectrpc/connect'
import { fail, type Ids, idTime, parseId } from '@millhand/api'
import {
  type DailyPlace,
  type DailyQuota,
  type GetDailyRequest,
  type ListDailyRequest,
  type ListDailyResponse,
  QuotaService,
  type ReleaseDailyRequest,
  type TakeDailyRequest,
} from '@millhand/api/gen/millhand/identity/v1/quota_service_pb.ts'
import type { Plans } from '@millhand/plans'
import type { Clock } from '@millhand/process'
import { principal, type Routes } from '@millhand/rpc'
import type { Log } from '@millhand/telemetry'
import { createDays, type Daily, type Days, removeOldDays } from './daily-quota.ts'
import { dayAfter, dayOf, type QuotaPlace, usedOf } from './daily-quota-record.ts'
import { quotaEvents } from './quota-events.ts'

export interface QuotaOptions {
  readonly daily: Daily
  readonly plans: Plans
  readonly clock: Clock
  readonly log: Log
  readonly ids: Ids
  /** From 0 up to 1. */
  readonly random: () => number
}

interface QuotaDeps extends QuotaOptions {
  readonly days: Days
}

export function createQuotaService(options: QuotaOptions) {
  const { ids, clock } = options
  const days = createDays({
    ...options,
    events: (before, after) => quotaEvents({ ids, now: clock.now() }, before, after),
  })
  const deps: QuotaDeps = { ...options, days }
  return {
    routes(router: Routes): void {
      router.service(QuotaService, {
        takeDaily: takeDaily(deps),
        releaseDaily: releaseDaily(deps),
        getDaily: getDaily(deps),
        listDaily: listDaily(deps),
      })
    },
    /** Removes old days until the signal ends. One replica is enough; several disturb nothing. */
    run: (signal: AbortSignal): Promise<void> => removeOldDays(options, signal),
  }
}

/** Takes a place in the quota of the day that the id was made. */
const takeDaily =
  (deps: QuotaDeps) =>
  async ({ id }: TakeDailyRequest, call: HandlerContext): Promise<DailyQuota> => {
    const { tenant } = principal(call)
    const { clock, days } = deps
    const limit = limitOf(deps, call)
    const task = parseId('wtask', id)
    if (task === undefined) throw fail('invalid_parameter', '`id` must be that of a workforce task.', { param: 'id' })
    const day = dayOf(idTime(task))
    const taken = await days.take({ tenant, day }, { id, limit }, call.signal)
    if (taken) return { ...quota(day, usedOf(taken.day), limit), takenAt: timestampFromMs(taken.place.at) }
    const detail = `All ${limit} workforce tasks of ${day} are used. The next day begins at 00:00 UTC.`
    throw fail('daily_quota_exceeded', detail, {
      retryAfterS: Math.max(1, Math.ceil((dayAfter(day) - clock.now()) / 1_000)),
    })
  }

const releaseDaily =
  (deps: QuotaDeps) =>
  async ({ day, ids, takenAt }: ReleaseDailyRequest, call: HandlerContext): Promise<DailyQuota> => {
    const { tenant } = principal(call)
    const places = ids.flatMap((id, n) => (takenAt[n] ? { id, at: timestampMs(takenAt[n]) } : []))
    const left = await deps.days.release({ tenant, day }, places, call.signal)
    return quota(day, usedOf(left), limitOf(deps, call))
  }

const getDaily =
  (deps: QuotaDeps) =>
  async (req: GetDailyRequest, call: HandlerContext): Promise<DailyQuota> => {
    const day = req.day || dayOf(deps.clock.now())
    const found = await deps.daily.get(principal(call).tenant, day)
    const ids = req.withIds ? (found?.places.map(({ id }) => id) ?? []) : []
    return { ...quota(day, usedOf(found), limitOf(deps, call)), ids }
  }

const listDaily =
  ({ daily }: QuotaDeps) =>
  async ({ day, after, takenFrom, takenBefore }: ListDailyRequest): Promise<ListDailyResponse> => {
    const from = takenFrom ? timestampMs(takenFrom) : 0
    const before = takenBefore ? timestampMs(takenBefore) : 0
    const found = await daily.find('by_day', {
      equals: [day],
      ...(after !== '' && { after: [after, day] }),
      limit: DAYS_A_PAGE,
    })
    return {
      $typeName: 'millhand.identity.v1.ListDailyResponse',
      data: found.map(({ tenant, places }) => ({
        $typeName: 'millhand.identity.v1.DailyPlaces',
        tenant,
        places: places.filter(({ at }) => at >= from && at < before).map(toMessage),
      })),
    }
  }

/** Each has at most 10,000 places of 50 bytes: an answer is less than 4 MiB. */
const DAYS_A_PAGE = 5

const toMessage = ({ id, at }: QuotaPlace): DailyPlace => ({
  $typeName: 'millhand.identity.v1.DailyPlace',
  id,
  takenAt: timestampFromMs(at),
})

const limitOf = ({ plans }: Pick<QuotaDeps, 'plans'>, call: HandlerContext) =>
  plans.workforcePlan(principal(call).plans.workforce).tasks_per_day

const quota = (day: string, used: number, limit: number | null): DailyQuota => ({
  $typeName: 'millhand.identity.v1.DailyQuota',
  day,
  ...(limit !== null && { limit }),
  used,
  resetsAt: timestampFromMs(dayAfter(day)),
  ids: [],
})
