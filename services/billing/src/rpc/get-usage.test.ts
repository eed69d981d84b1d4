import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Timestamp, timestampFromDate, timestampMs } from '@bufbuild/protobuf/wkt'
import { createClient, createContextValues } from '@connectrpc/connect'
import { problemOf } from '@millhand/api'
import { UsageService } from '@millhand/api/gen/millhand/billing/v1/usage_service_pb.ts'
import { manualClock } from '@millhand/process'
import { createDirectTransport, principalKey, serve } from '@millhand/rpc'
import { memoryCollection } from '../usage/memory-collection.fixture.ts'
import { type EntryRecord, entriesSpec } from '../usage/usage-entry.ts'
import { type HourRecord, hoursSpec } from '../usage/usage-hour.ts'
import { getUsage } from './get-usage.ts'

const at = (text: string): Timestamp => timestampFromDate(new Date(text))
const NOW = '2026-11-21T07:30:00.123Z'

/** With the clock at a time. */
function usageAt(now: string) {
  const clock = manualClock(Date.parse(now))
  const entries = memoryCollection<EntryRecord, 'by_end'>(entriesSpec, async () => {})
  const hours = memoryCollection<HourRecord, 'due'>(hoursSpec, async () => {})
  const transport = createDirectTransport()
  serve(router => router.service(UsageService, { getUsage: getUsage({ entries, hours, clock }) }), transport)
  const plans = { compute: 'enterprise', developer: 'enterprise', workforce: 'enterprise' }
  const caller = { accountId: 'acct_a', mode: 'live', tenant: 'acct_a/live', keyId: 'key_a', plans } as const
  const contextValues = createContextValues().set(principalKey, { ...caller, scopes: new Set(['*']) })
  const client = createClient(UsageService, transport)
  return (request: { start?: Timestamp; end?: Timestamp }) => client.getUsage(request, { contextValues })
}

const spans: readonly [string, { start?: Timestamp; end?: Timestamp }, now: string, start: string, end: string][] = [
  ['this month until now', {}, NOW, '2026-11-01T00', '2026-11-21T08'],
  ['from this month’s beginning', { end: at('2026-11-02T00:00:00Z') }, NOW, '2026-11-01T00', '2026-11-02T00'],
  ['until now', { start: at('2026-10-31T23:59:59Z') }, NOW, '2026-10-31T23', '2026-11-21T08'],
  ['at the very beginning of a month', {}, '2026-12-01T00:00:00.000Z', '2026-12-01T00', '2026-12-01T00'],
  ['in its last moment', {}, '2026-11-30T23:59:59.999Z', '2026-11-01T00', '2026-12-01T00'],
  [
    'within an hour',
    { start: at('2026-01-01T00:10:00Z'), end: at('2026-01-01T00:20:00Z') },
    NOW,
    '2026-01-01T00',
    '2026-01-01T01',
  ],
  [
    'until the last hour there is',
    { start: at('9999-12-31T22:00:00Z'), end: at('9999-12-31T23:00:00Z') },
    NOW,
    '9999-12-31T22',
    '9999-12-31T23',
  ],
  [
    '366 days',
    { start: at('2024-01-01T00:00:00Z'), end: at('2025-01-01T00:00:00Z') },
    NOW,
    '2024-01-01T00',
    '2025-01-01T00',
  ],
]
for (const [name, request, now, start, end] of spans) {
  test(`the span is ${name}`, async () => {
    const usage = await usageAt(now)(request)
    const hourOf = (time: Timestamp | undefined) => new Date(timestampMs(time as Timestamp)).toISOString()
    assert.deepEqual([hourOf(usage.start), hourOf(usage.end)], [`${start}:00:00.000Z`, `${end}:00:00.000Z`])
  })
}

const refused: readonly [string, { start?: Timestamp; end?: Timestamp }, param: string][] = [
  ['ends before it begins', { start: at('2026-11-02T00:00:00Z'), end: at('2026-11-01T23:59:59Z') }, 'end'],
  [
    'ends before it begins, within an hour',
    { start: at('2026-11-02T00:30:00Z'), end: at('2026-11-02T00:20:00Z') },
    'end',
  ],
  ['ends before this month', { end: at('2026-10-31T00:00:00Z') }, 'end'],
  ['begins after now', { start: at('2026-11-21T07:30:01Z') }, 'start'],
  ['is longer than 366 days', { start: at('2024-01-01T00:00:00Z'), end: at('2025-01-01T00:00:01Z') }, 'start'],
  ['ends in the last hour there is', { start: at('9999-12-31T00:00:00Z'), end: at('9999-12-31T23:00:01Z') }, 'end'],
  ['ends too far in the future', { end: at('2027-11-03T00:00:00Z') }, 'end'],
]
for (const [name, request, param] of refused) {
  test(`a span that ${name} is refused`, async () => {
    const error = await usageAt(NOW)(request).catch((error: unknown) => error)
    const problem = problemOf(error, 'req_1')
    assert.deepEqual([problem.status, problem.code, problem.param], [400, 'invalid_parameter', param])
  })
}
