/** Places in the day's quota of workforce tasks, which identity gives and takes back. */
import { timestampMs } from '@bufbuild/protobuf/wkt'
import type { Client, HandlerContext } from '@connectrpc/connect'
import { codeOf, fail, type Id, problemOf, retryAfterOf } from '@millhand/api'
import type { DailyQuota, QuotaService } from '@millhand/api/gen/millhand/identity/v1/quota_service_pb.ts'
import { type Principal, principal } from '@millhand/rpc'
import type { Clock } from '@millhand/runner'
import { as } from '../in-name-of.ts'

export interface Places {
  /**
   * Takes the place of a task that is about to be made; an id that has one keeps it. Fails with `daily_quota_exceeded`,
   * and with `unavailable` where identity is away.
   */
  take(call: HandlerContext, id: Id): Promise<void>
  /** Gives back the place of a task that was not made. Never fails: what stays taken is found later. */
  giveBack(call: HandlerContext, id: Id): Promise<void>
  /** How much of today is used. */
  today(call: HandlerContext): Promise<DailyQuota>
  /** Tells the caller, in the headers of the answer, how much of today is left; nothing where that can't be known now. */
  tell(call: HandlerContext): Promise<void>
}

export interface PlacesDeps {
  readonly quota: Client<typeof QuotaService>
  readonly clock: Clock
}

/** So long what is left of a day is told as it was asked last: calls that take no place. */
const FRESH_MS = 1_000
/** How many callers' days are known at once. */
const MOST_KNOWN = 10_000

export function createPlaces({ quota, clock }: PlacesDeps): Places {
  const known = new Map<string, { readonly day: DailyQuota; readonly at: number }>()

  const remember = ({ tenant }: Principal, day: DailyQuota) => {
    known.delete(tenant)
    known.set(tenant, { day, at: clock.monotonic() })
    const [oldest] = known.keys()
    if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest)
    return day
  }
  const ask = async (call: HandlerContext) => remember(principal(call), await quota.getDaily({}, as(principal(call))))
  const fresh = async (call: HandlerContext): Promise<DailyQuota> => {
    const last = known.get(principal(call).tenant)
    const isFresh = last && clock.monotonic() - last.at < FRESH_MS && timestampMs(endOf(last.day)) > clock.now()
    return isFresh ? last.day : await ask(call)
  }

  return {
    async take(call, id) {
      try {
        show(call, remember(principal(call), await quota.takeDaily({ id }, as(principal(call)))), clock)
      } catch (error) {
        if (codeOf(error) !== 'daily_quota_exceeded') throw error
        known.delete(principal(call).tenant)
        await this.tell(call)
        throw fail('daily_quota_exceeded', problemOf(error, '').detail, { retryAfterS: retryAfterOf(error) ?? 1 })
      }
    },
    async giveBack(call, id) {
      const day = known.get(principal(call).tenant)?.day.day
      if (day === undefined) return
      await quota.releaseDaily({ day, ids: [id] }, as(principal(call))).then(
        left => remember(principal(call), left),
        () => {},
      )
    },
    today: ask,
    async tell(call) {
      const day = await fresh(call).catch(() => undefined)
      if (day) show(call, day, clock)
    },
  }
}

/** As draft-ietf-httpapi-ratelimit-headers has it: `q` in `w` seconds, `r` of it left, all of it again in `t` seconds. */
function show({ responseHeader }: HandlerContext, day: DailyQuota, clock: Clock): void {
  const { limit, used } = day
  if (limit === undefined) return
  const left = Math.max(0, limit - used)
  const seconds = Math.max(0, Math.ceil((timestampMs(endOf(day)) - clock.now()) / 1000))
  responseHeader.set('RateLimit-Policy', `"workforce_daily";q=${limit};w=86400`)
  responseHeader.set('RateLimit', `"workforce_daily";r=${left};t=${seconds}`)
}

const endOf = ({ resetsAt }: DailyQuota) =>
  resetsAt ?? { seconds: 0n, nanos: 0, $typeName: 'google.protobuf.Timestamp' as const }
