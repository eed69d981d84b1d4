/** When an endpoint is given up, and that its customer can begin anew. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { WebhookStatus } from '@millhand/api/gen/millhand/webhook/v1/webhook_pb.ts'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import { as, type Endpoints, openEndpoints } from '../webhook.fixture.ts'
import { type Deployment, openDeployment } from './deliveries.fixture.ts'
import { noon, someEvents } from './delivery.fixture.ts'
import { status } from './receiver.fixture.ts'

const DAY_MS = 86_400_000

describe('an endpoint that has failed for five days', () => {
  let folder: string
  let db: SqliteDatabase
  let here: Deployment
  let customer: Endpoints['webhooks']
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millhand-given-up-'))
    db = openSqlite({ file: join(folder, 'millhand.db') })
    here = await openDeployment(db)
    customer = openEndpoints(db, here.clock).webhooks
    await here.endpoint('wh_1', { failing_since: noon - 5 * DAY_MS, failed_at: noon - DAY_MS })
    here.receiver.lets('wh_1', status(500))
  })
  afterEach(async () => {
    await here.close()
    await db.close()
    await rm(folder, { recursive: true })
  })

  /** The endpoint, when another event was tried and what that says of it is written. */
  async function afterTry() {
    const owner = here.own()
    const events = someEvents(1)
    await here.keep(events)
    await here.send(owner, events, 'wh_1')
    for (const event of events) await here.untilStatus(event, 'wh_1', 'waiting')
    await owner.stop()
    return await read()
  }
  const read = async () => (await here.webhooks.get('acct_1/live', 'wh_1')) ?? assert.fail()
  const update = (request: Parameters<typeof customer.updateWebhook>[0]) =>
    customer.updateWebhook({ id: 'wh_1', ...request }, as('acct_1'))

  it('is disabled; once it is enabled again the days begin anew', async () => {
    assert.equal((await afterTry()).status, 'disabled')
    await update({ status: WebhookStatus.ENABLED })
    assert.equal((await read()).failing_since, undefined)
    assert.equal((await afterTry()).status, 'enabled')
  })

  it('begins anew at another address, and at no other change', async () => {
    await update({ description: 'the same address' })
    assert.equal((await read()).failing_since, noon - 5 * DAY_MS)
    await update({ url: here.receiver.url('wh_1').replace('http:', 'https:') })
    assert.equal((await afterTry()).status, 'enabled')
  })
})
