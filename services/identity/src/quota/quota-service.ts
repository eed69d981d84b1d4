/** The daily quota of workforce tasks. */
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { HandlerContext } from '@connectrpc/connect'
import { fail, idTime, parseId } from '@millhand/api'
import {
  type DailyQuota,
  type GetDailyRequest,
  type ListDailyRequest,
  type ListDailyResponse,
  QuotaService,
  type ReleaseDailyRequest,
  type TakeDailyRequest,
} from '@millhand/api/gen/millhand/identity/v1/quota_service_pb.ts'
import type { Plans } from '@millhand/plans'
import { principal, type Routes } from '@millhand/rpc'
import type { Clock } from '@millhand/runner'
import type { Log } from '@millhand/telemetry'
import { type Daily, dayAfter, dayOf, releasePlaces, removeOldDays, takePlace } from './daily.ts'

export interface QuotaDeps {
  readonly daily: Daily
  readonly plans: Plans
  readonly clock: Clock
  /** From 0 up to 1. */
  readonly random: () => number
}

export function createQuotaService({ log, ...deps }: QuotaDeps & { readonly log: Log }) {
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
    run: (signal: AbortSignal): Promise<void> => removeOldDays({ ...deps, log }, signal),
  }
}

/** Takes a place in the quota of the day that the id was made. Where the plan has no limit nothing is taken. */
const takeDaily =
  (deps: QuotaDeps) =>
  async ({ id }: TakeDailyRequest, call: HandlerContext): Promise<DailyQuota> => {
    const { tenant } = principal(call)
    const { clock } = deps
    const limit = limitOf(deps, call)
    const task = parseId('wtask', id)
    if (task === undefined) throw fail('invalid_parameter', '`id` must be that of a workforce task.', { param: 'id' })
    const day = dayOf(idTime(task))
    if (limit === null) return quota(day, [], null)
    const taken = await takePlace(deps, { tenant, day, id, limit, signal: call.signal })
    if (taken) return quota(day, taken.ids, limit)
    const detail = `All ${limit} workforce tasks of ${day} are used. The next day begins at 00:00 UTC.`
    throw fail('daily_quota_exceeded', detail, {
      retryAfterS: Math.max(1, Math.ceil((dayAfter(day) - clock.now()) / 1_000)),
    })
  }

const releaseDaily =
  (deps: QuotaDeps) =>
  async ({ day, ids }: ReleaseDailyRequest, call: HandlerContext): Promise<DailyQuota> => {
    const { tenant } = principal(call)
    const left = await releasePlaces(deps, { tenant, day, ids, signal: call.signal })
    return quota(day, left?.ids ?? [], limitOf(deps, call))
  }

const getDaily =
  (deps: QuotaDeps) =>
  async (req: GetDailyRequest, call: HandlerContext): Promise<DailyQuota> => {
    const day = req.day || dayOf(deps.clock.now())
    const found = await deps.daily.get(principal(call).tenant, day)
    const ids = found?.ids ?? []
    return { ...quota(day, ids, limitOf(deps, call)), ids: req.withIds ? [...ids] : [] }
  }

const listDaily =
  ({ daily }: QuotaDeps) =>
  async ({ day, after }: ListDailyRequest): Promise<ListDailyResponse> => {
    const found = await daily.find('by_day', {
      equals: [day],
      ...(after !== '' && { after: [after, day] }),
      limit: DAYS_A_PAGE,
    })
    return {
      $typeName: 'millhand.identity.v1.ListDailyResponse',
      data: found.map(({ tenant, ids }) => ({
        $typeName: 'millhand.identity.v1.DailyPlaces',
        tenant,
        ids: [...ids],
      })),
    }
  }

/** Each has at most as many ids as a plan allows, of 32 bytes. */
const DAYS_A_PAGE = 20

const limitOf = ({ plans }: QuotaDeps, call: HandlerContext) =>
  plans.workforcePlan(principal(call).plans.workforce).tasks_per_day

const quota = (day: string, ids: readonly string[], limit: number | null): DailyQuota => ({
  $typeName: 'millhand.identity.v1.DailyQuota',
  day,
  ...(limit !== null && { limit }),
  used: ids.length,
  resetsAt: timestampFromMs(dayAfter(day)),
  ids: [],
})
