/** A UTC day as status stores it: all that gateways have reported of it. */
import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt'
import type { Day, ReportRequest } from '@millhand/api/gen/millhand/status/v1/status_service_pb.ts'
import { type CollectionSpec, type Document, noAccount } from '@millhand/store'

/** Its id is the day: `2026-11-21`. */
export interface DayRecord extends Document {
  readonly components: readonly Seen[]
  readonly requests: number
  readonly failed: number
  readonly timed: number
  readonly slow: number
  /** Who has reported, up to which of its reports; whoever reported last stands last. */
  readonly reporters: readonly Reporter[]
  /** From when on it is counted: the earliest that a report has. Absent where an earlier version wrote the day last. */
  readonly since?: number
  readonly updated_at: number
}

interface Seen {
  readonly name: string
  readonly up_ms: number
  readonly down_ms: number
}

interface Reporter {
  readonly gateway_id: string
  readonly sequence: number
}

export const daysSpec = { name: 'status_days', indexes: {} } as const satisfies CollectionSpec

/** How many days are kept and shown, today's among them. */
const KEPT_DAYS = 90

const DAY_MS = 86_400_000

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** The oldest day that is kept. */
export const firstDay = (now: number): string => dayOf(now - (KEPT_DAYS - 1) * DAY_MS)

/** The last day that may be reported: a gateway's clock may be ahead of ours, and it be past midnight there. */
export const lastDay = (now: number): string => dayOf(now + DAY_MS)

/** Gateways that restart all day long must not make a day's document grow without end: the last are remembered. */
const MOST_REPORTERS = 1_000

export const emptyDay = (day: string): Omit<DayRecord, 'version'> => ({
  tenant: noAccount,
  id: day,
  components: [],
  requests: 0,
  failed: 0,
  timed: 0,
  slow: 0,
  reporters: [],
  since: Number.POSITIVE_INFINITY,
  updated_at: 0,
})

/** The day with a report added; undefined where it is in there already. */
export function withReport<Record extends Omit<DayRecord, 'version'>>(
  day: Record,
  { gatewayId, sequence, components, requests, failed, timed, slow, since }: ReportRequest,
  now: number,
): Record | undefined {
  const known = day.reporters.find(({ gateway_id }) => gateway_id === gatewayId)
  if (known !== undefined && known.sequence >= sequence) return undefined
  const others = day.reporters.filter(reporter => reporter !== known)
  const seen = new Map(day.components.map(each => [each.name, each]))
  for (const { name, upMs, downMs } of components) {
    const { up_ms, down_ms } = seen.get(name) ?? { up_ms: 0, down_ms: 0 }
    seen.set(name, { name, up_ms: up_ms + upMs, down_ms: down_ms + downMs })
  }
  return {
    ...day,
    components: [...seen.values()],
    requests: day.requests + requests,
    failed: day.failed + failed,
    timed: day.timed + timed,
    slow: day.slow + slow,
    reporters: [...others, { gateway_id: gatewayId, sequence }].slice(-MOST_REPORTERS),
    since: Math.min(sinceOf(day), since === undefined ? now : timestampMs(since)),
    updated_at: now,
  }
}

/** Where it isn't known, it was in that day. */
const sinceOf = ({ id, since }: Pick<DayRecord, 'id' | 'since'>): number => since ?? Date.parse(id)

export const dayMessage = (day: DayRecord): Day => ({
  $typeName: 'millhand.status.v1.Day',
  day: day.id,
  components: day.components.map(({ name, up_ms, down_ms }) => ({
    $typeName: 'millhand.status.v1.Observed',
    name,
    upMs: up_ms,
    downMs: down_ms,
  })),
  requests: day.requests,
  failed: day.failed,
  timed: day.timed,
  slow: day.slow,
  since: timestampFromMs(sinceOf(day)),
  updatedAt: timestampFromMs(day.updated_at),
})
