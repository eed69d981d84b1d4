import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fail } from '@millhand/api'
import { CheckExecutorResponse_Standing as Wire } from '@millhand/api/gen/millhand/instance/v1/capacity_service_pb.ts'
import { manualClock } from '@millhand/process'
import { createExecutorStandings } from './executor-standings.ts'

const executor = { tenant: 'acct_1/live', instance: 'inst_1', generation: 1 }

/** With an instance service that gives the set answer, or fails while that is undefined. */
function open() {
  const clock = manualClock()
  const service = { asked: 0, answer: Wire.ACTIVE as Wire | undefined }
  const standings = createExecutorStandings(
    {
      async checkExecutor() {
        service.asked++
        if (service.answer === undefined) throw fail('unavailable', 'It is away.')
        return { $typeName: 'millhand.instance.v1.CheckExecutorResponse', standing: service.answer }
      },
    },
    clock,
  )
  return { clock, service, standings }
}

describe('standings of executors', () => {
  it('are asked for every 2 s, for each replica', async () => {
    const { clock, service, standings } = open()
    for (let n = 0; n < 3; n++) assert.equal(await standings.latest(executor), 'active')
    assert.equal(await standings.confirmed(executor), 'active')
    assert.equal(service.asked, 1)
    service.answer = Wire.STOPPING
    assert.equal(await standings.latest({ ...executor, generation: 2 }), 'stopping')
    assert.equal(await standings.latest({ ...executor, instance: 'inst_2' }), 'stopping')
    assert.equal(await standings.latest({ ...executor, tenant: 'acct_2/live' }), 'stopping')
    await clock.advance(1_999)
    assert.equal(await standings.latest(executor), 'active')
    await clock.advance(1)
    assert.equal(await standings.latest(executor), 'stopping')
    service.answer = Wire.GONE
    await clock.advance(2_000)
    assert.equal(await standings.confirmed(executor), 'gone')
  })

  it('of an unknown kind count as gone', async () => {
    const { service, standings } = open()
    service.answer = 99 as Wire
    assert.equal(await standings.latest(executor), 'gone')
  })

  it('are the latest known while the instance service is away, and then are not confirmed', async () => {
    const { clock, service, standings } = open()
    await standings.latest(executor)
    service.answer = undefined
    for (let n = 0; n < 3; n++) {
      await clock.advance(2_000)
      assert.equal(await standings.latest(executor), 'active')
      await assert.rejects(standings.confirmed(executor), { message: /does not answer/ })
    }
    await assert.rejects(standings.latest({ ...executor, generation: 2 }), { message: /does not answer/ })
    service.answer = Wire.GONE
    await clock.advance(2_000)
    assert.equal(await standings.latest(executor), 'gone')
  })
})
