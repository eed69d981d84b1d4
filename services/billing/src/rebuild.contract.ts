/** Dropped as docs/operating.md says and read again from the log, usage is the same. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient, createContextValues } from '@connectrpc/connect'
import { createCursors } from '@millhand/api'
import type { Usage } from '@millhand/api/gen/millhand/billing/v1/usage_pb.ts'
import { UsageService } from '@millhand/api/gen/millhand/billing/v1/usage_service_pb.ts'
import type { EventLog } from '@millhand/eventlog'
import { loadPlans } from '@millhand/plans'
import { systemClock as clock } from '@millhand/process'
import { createDirectTransport, principalKey, serve } from '@millhand/rpc'
import type { OutboxEvent } from '@millhand/store'
import { createLog } from '@millhand/telemetry'
import { type BillingOptions, createBillingService } from './billing.ts'
import { endEvent } from './usage/task-event.fixture.ts'
import { type Hours, hourId } from './usage/usage-hour.ts'

export interface OpenedLog extends AsyncDisposable {
  readonly db: BillingOptions['db']
  readonly events: Pick<EventLog, 'subscribe'>
  append(events: readonly OutboxEvent[]): Promise<void>
  /** Drops what the log still has, as an operator does, while nobody is subscribed. */
  drop(): Promise<void>
  /** How many hours there are. */
  countHours(): Promise<number>
  readonly hours: Pick<Hours, 'get' | 'write'>
}

const DAY_MS = 86_400_000
const plans = loadPlans()
const cursors = createCursors(new Uint8Array(32))

export function describeRebuild(name: string, open: () => Promise<OpenedLog>, options: { skip?: string | false } = {}) {
  describe(`${name}: usage`, options, () => {
    it('is the same when it was dropped and read again from the log', async () => {
      await using opened = await open()
      const now = clock.now()
      const task = (id: string, daysAgo: number) =>
        endEvent({ id, tenant, at: now - daysAgo * DAY_MS, computeMs: 7, model: id.slice(-1) })
      const recent = Array.from({ length: 200 }, (_, n) => task(`task_${n}`, (n % 28) + 0.01))
      await opened.append(recent.map(({ position: _, ...event }) => event))
      const old = [task('task_old', 40)]

      const span = { start: hour(now - 60 * DAY_MS), end: hour(now + DAY_MS) }
      const before = await whileRunning({ ...opened, events: startingWith(old, opened.events) }, span, 201)
      const gone = {
        tenant: 'acct_closed/live',
        id: hourId(now - DAY_MS),
        start: now - DAY_MS,
        state: 'closed',
      } as const
      const nothing = { lines: [], summed_to: 0, announced_to: 0 }
      await opened.hours.write({ kind: 'insert', document: { ...gone, ...nothing }, events: [] })
      await opened.drop()
      const left = await Promise.all([opened.hours.get(gone.tenant, gone.id), opened.countHours()])
      assert.deepEqual([left[0]?.state, left[1]], ['closed', 2], 'what the log has no more stays, and what has closed')
      const after = await whileRunning(opened, span, 201)
      assert.deepEqual(after, before)
    })
  })
}

/** The commands that begin with a word, of what docs/operating.md says of usage. */
export function documented(word: string): string {
  const page =
    readFileSync(new URL('../../../docs/operating.md', import.meta.url), 'utf8').split('\n## Usage\n')[1] ?? ''
  const [, commands] = new RegExp(`\`\`\`\\w+ no-run\\n(${word}[\\s\\S]*?)\`\`\``).exec(page) ?? assert.fail(word)
  return commands as string
}

const tenant = 'acct_a/live'
const as = {
  contextValues: createContextValues().set(principalKey, {
    accountId: 'acct_a',
    mode: 'live',
    tenant,
    scopes: new Set(['*']),
    keyId: 'key_a',
    plans: { compute: 'enterprise', developer: 'enterprise', workforce: 'enterprise' },
  }),
}

const hour = (ms: number) => ({ seconds: BigInt(Math.floor(ms / 3_600_000) * 3600) })

/** The usage of a span, when so many tasks are counted. */
async function whileRunning(
  { db, events }: Pick<OpenedLog, 'db' | 'events'>,
  span: Record<'start' | 'end', ReturnType<typeof hour>>,
  tasks: number,
): Promise<Usage> {
  const log = createLog({ level: 'error' })
  const service = createBillingService({
    cursors,
    db,
    events,
    plans,
    clock,
    log,
    entriesKeptMs: 90 * DAY_MS,
    graceMs: 3 * DAY_MS,
  })
  const transport = createDirectTransport()
  serve(service.routes, transport)
  const usage = createClient(UsageService, transport)
  const ending = new AbortController()
  const running = service.run(ending.signal)
  try {
    for (;;) {
      const found = await usage.getUsage({ ...span, groupBy: 2 }, as)
      if (found.total?.tasks?.succeeded === tasks) return found
      await pause(20, undefined, { signal: AbortSignal.timeout(300_000) })
    }
  } finally {
    ending.abort()
    await running
  }
}

/** A log that had events before those that it has now. */
const startingWith = (
  old: Parameters<Parameters<EventLog['subscribe']>[2]>[0],
  log: Pick<EventLog, 'subscribe'>,
): Pick<EventLog, 'subscribe'> => ({
  async subscribe(group, topics, handler, signal) {
    await handler(old)
    await log.subscribe(group, topics, handler, signal)
  },
})
