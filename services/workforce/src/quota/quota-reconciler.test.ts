import assert from 'node:assert/strict'
import { it } from 'node:test'
import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt'
import { createClient } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import { QuotaService } from '@millhand/api/gen/millhand/identity/v1/quota_service_pb.ts'
import { manualClock } from '@millhand/process'
import { createDirectTransport, serve } from '@millhand/rpc'
import { createLog } from '@millhand/telemetry'
import { reconcileQuota } from './quota-reconciler.ts'

const noon = Date.UTC(2026, 10, 21, 12)
const today = '2026-11-21'
const tenants = ['acct_a/live', 'acct_b/live']

it('the places of a day are looked through once, some at a time, and a look that failed goes on where it was', async () => {
  const listed: unknown[] = []
  const looked: string[] = []
  const released: string[] = []
  let [underWay, most, isAway] = [0, 0, true]
  const transport = createDirectTransport()
  serve(
    router =>
      router.service(QuotaService, {
        async listDaily({ day, after, takenFrom, takenBefore }) {
          if (day !== today) return { data: [] }
          const [from, before] = [takenFrom, takenBefore].map(time => time && timestampMs(time))
          listed.push([after, from, before])
          if (after === tenants[0] && isAway) throw fail('unavailable', 'away')
          const tenant = tenants[tenants.indexOf(after) + 1]
          const places = Array.from({ length: from === 0 ? 50 : 0 }, (_, n) => ({
            id: `wtask_${n}`,
            takenAt: timestampFromMs(1),
          }))
          return { data: tenant === undefined ? [] : [{ tenant, places }] }
        },
        async releaseDaily({ ids }) {
          released.push(...ids)
          return {}
        },
      }),
    transport,
  )
  const clock = manualClock(noon)
  const turn = () => new Promise(resolve => setImmediate(resolve))
  const tasks = {
    async get(tenant: string, id: string) {
      most = Math.max(most, ++underWay)
      await turn()
      underWay--
      looked.push(`${tenant} ${id}`)
      // The second is in the place of a task that was never made.
      if (id === 'wtask_9') return { is_fence: true as const }
      return id === 'wtask_7' ? undefined : {}
    },
  }
  const ending = new AbortController()
  const log = createLog({ level: 'error' })
  const running = reconcileQuota({ quota: createClient(QuotaService, transport), tasks, clock, log }, ending.signal)
  /** Until it is listed so often, and all that came of it is done. */
  const until = async (times: number) => {
    while (listed.length < times) await turn()
    for (let turns = 0; turns < 20; turns++) await turn()
  }
  const [first, later] = [noon - 300_000, noon - 180_000]
  await until(2)
  isAway = false
  await clock.advance(60_000)
  await until(4)
  await clock.advance(60_000)
  await until(7)
  assert.deepEqual(listed, [
    ['', 0, first],
    [tenants[0], 0, first],
    [tenants[0], 0, first],
    [tenants[1], 0, first],
    ['', first, later],
    [tenants[0], first, later],
    [tenants[1], first, later],
  ])
  assert.equal(new Set(looked).size, looked.length, 'each place once')
  assert.deepEqual([looked.length, released], [100, ['wtask_7', 'wtask_9', 'wtask_7', 'wtask_9']])
  assert.ok(most > 1 && most <= 16, `${most}`)
  ending.abort()
  await running
})

it('a tenant whose places can not be given back holds up no other, and is tried again', async () => {
  const released: string[] = []
  let isBroken = true
  const transport = createDirectTransport()
  serve(
    router =>
      router.service(QuotaService, {
        listDaily({ day, after }) {
          const tenant = day === today ? tenants[tenants.indexOf(after) + 1] : undefined
          const places = [{ id: `of ${tenant}`, takenAt: timestampFromMs(1) }]
          return { data: tenant === undefined ? [] : [{ tenant, places }] }
        },
        releaseDaily({ ids }) {
          if (isBroken && ids[0] === `of ${tenants[0]}`) throw fail('unavailable', 'away')
          released.push(...ids)
          return {}
        },
      }),
    transport,
  )
  const clock = manualClock(noon)
  const ending = new AbortController()
  const tasks = { get: async () => undefined }
  const log = createLog({ level: 'error' })
  const running = reconcileQuota({ quota: createClient(QuotaService, transport), tasks, clock, log }, ending.signal)
  const until = async (count: number) => {
    while (released.length < count) await new Promise(resolve => setImmediate(resolve))
  }
  await until(1)
  assert.deepEqual(released, [`of ${tenants[1]}`])
  isBroken = false
  await clock.advance(60_000)
  await until(2)
  assert.ok(released.includes(`of ${tenants[0]}`))
  ending.abort()
  await running
})
