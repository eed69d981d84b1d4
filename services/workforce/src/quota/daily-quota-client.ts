/** Places in the day's quota of workforce tasks, which identity gives and takes back. */
import type { Timestamp } from '@bufbuild/protobuf/wkt'
import type { Client, HandlerContext } from '@connectrpc/connect'
import { codeOf, fail, type Id, problemOf, retryAfterOf } from '@millhand/api'
import type { DailyQuota, QuotaService } from '@millhand/api/gen/millhand/identity/v1/quota_service_pb.ts'
import type { Clock } from '@millhand/process'
import { principal } from '@millhand/rpc'
import { onBehalfOf } from '../on-behalf-of.ts'
import { type CachedQuota, createQuotaCache } from './quota-cache.ts'

export interface DailyQuotaClient {
  /**
   * Takes the place of a task that is about to be made; an id that has one keeps it. Fails with `daily_quota_exceeded`,
   * and with `unavailable` where identity is away.
   */
  take(call: HandlerContext, id: Id): Promise<Place>
  /** Gives back the place of a task that was not made. Never fails: what stays taken is found later. */
  giveBack(call: HandlerContext, place: Place): Promise<void>
  /** How much is used of the day of a time, in milliseconds since 1970. */
  dayOf(call: HandlerContext, time: number): Promise<DailyQuota>
  /** How much of today is used. */
  today(call: HandlerContext): Promise<DailyQuota>
  /** Tells the caller, in the headers of the answer, how much of today is left; nothing where that can't be known now. */
  tell(call: HandlerContext): Promise<void>
  /** The same of what is known already: it waits for nobody. */
  tellKnown(call: HandlerContext): void
}

interface Place {
  readonly id: Id
  readonly day: string
  readonly takenAt: Timestamp | undefined
}

export interface DailyQuotaDeps {
  readonly quota: Client<typeof QuotaService>
  readonly clock: Clock
}

/** What identity answers is remembered for all who are told of the same day. */
export function createDailyQuota({ quota, clock }: DailyQuotaDeps): DailyQuotaClient {
  const known = createQuotaCache({ clock, ask: caller => quota.getDaily({}, onBehalfOf(caller)) })
  return {
    async take(call, id) {
      const caller = principal(call)
      try {
        const day = await quota.takeDaily({ id }, onBehalfOf(caller))
        known.heard(caller, day)
        return { id, day: day.day, takenAt: day.takenAt }
      } catch (error) {
        if (codeOf(error) !== 'daily_quota_exceeded') throw error
        known.forget(caller)
        throw fail('daily_quota_exceeded', problemOf(error, '').detail, { retryAfterS: retryAfterOf(error) ?? 1 })
      }
    },
    async giveBack(call, { id, day, takenAt }) {
      const caller = principal(call)
      if (takenAt === undefined) return
      await quota.releaseDaily({ day, ids: [id], takenAt: [takenAt] }, onBehalfOf(caller)).then(
        left => known.heard(caller, left),
        () => {},
      )
    },
    dayOf: (call, time) =>
      quota.getDaily({ day: new Date(time).toISOString().slice(0, 10) }, onBehalfOf(principal(call))),
    async today(call) {
      const caller = principal(call)
      return known.heard(caller, await quota.getDaily({}, onBehalfOf(caller)))
    },
    async tell(call) {
      const day = await known.get(principal(call))
      if (day) show(call, day, clock)
    },
    tellKnown(call) {
      const day = known.last(principal(call))
      if (day) show(call, day, clock)
    },
  }
}

/** As draft-ietf-httpapi-ratelimit-headers has it: `q` in `w` seconds, `r` of it left, all of it again in `t` seconds. */
function show({ responseHeader }: HandlerContext, { quota: { limit, used }, endsAt }: CachedQuota, clock: Clock): void {
  if (limit === undefined) return
  const left = Math.max(0, limit - used)
  const seconds = Math.max(0, Math.ceil((endsAt - clock.now()) / 1000))
  responseHeader.set('RateLimit-Policy', `"workforce_daily";q=${limit};w=86400`)
  responseHeader.set('RateLimit', `"workforce_daily";r=${left};t=${seconds}`)
}
