/** What endpoints that are slow or dead cost the others. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { createDialer, createResolver, parseRanges } from '@millhand/dial'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import type { ArchivedEvent } from '../archived-event.ts'
import type { WebhookRecord } from '../webhook.ts'
import { type Deployment, openDeployment } from './deliveries.fixture.ts'
import { noon, someEvents } from './delivery.fixture.ts'
import { callbackEndpoint, newDelivery, ranks } from './new-delivery.ts'
import { first, hang, openReceiver, reset, status } from './receiver.fixture.ts'

describe('an endpoint that does not answer', () => {
  let folder: string
  let db: SqliteDatabase
  let here: Deployment
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millhand-fairness-'))
    db = openSqlite({ file: join(folder, 'millhand.db') })
    here = await openDeployment(db)
  })
  afterEach(async () => {
    await here.close()
    await db.close()
    await rm(folder, { recursive: true })
  })

  /** Endpoints of an account. */
  async function endpoints(account: string, count: number) {
    const ids = Array.from({ length: count }, (_, n) => `wh_${account}_${n}`)
    for (const id of ids) await here.endpoint(id, { tenant: `${account}/live`, account_id: account })
    return ids
  }
  /** Sends so many events of an account to each. */
  async function send(owner: ReturnType<Deployment['own']>, account: string, to: readonly string[], count: number) {
    const events = someEvents(count, `${account}/live`)
    await here.keep(events)
    for (const id of to) await here.send(owner, events, id)
    return events
  }

  it('holds up none of another, however many there are', async () => {
    const owner = here.own()
    for (let n = 0; n < 30; n++) {
      const dead = await endpoints(`acct_dead${n}`, 10)
      for (const id of dead) here.receiver.lets(id, first(1, reset, hang))
      await send(owner, `acct_dead${n}`, dead, 2)
    }
    await here.until(() => here.receiver.posts.length === 300 + 144, 50)
    const [well = ''] = await endpoints('acct_well', 1)
    const events = await send(owner, 'acct_well', [well], 50)
    for (const event of events) await here.untilStatus(event, well, 'succeeded')
    assert.equal(here.receiver.posts.length, 300 + 144 + 50)
  })

  it('holds up none of another under the next owner, which reads that it failed before', async () => {
    const ready = async (account: string, id: string, more: Partial<WebhookRecord> = {}) => {
      await here.endpoint(id, { tenant: `${account}/live`, account_id: account, ...more })
      const [event] = someEvents(1, `${account}/live`) as [ArchivedEvent]
      await here.keep([event])
      const document = newDelivery(event, { endpoint: id }, ranks.first)
      await here.deliveries.write({ kind: 'insert', document, events: [] })
    }
    for (let n = 0; n < 200; n++) {
      here.receiver.lets(`wh_dead${n}`, hang)
      await ready(`acct_dead${n % 20}`, `wh_dead${n}`, { failing_since: noon })
    }
    await ready('acct_well', 'wh_well')
    here.own()
    await here.until(() => here.receiver.posts.length > 144)
    assert.equal(here.receiver.of('wh_well').length, 1)
  })

  it('holds up none of another that is new, though two accounts have many that are new too', async () => {
    const owner = here.own()
    for (const account of ['acct_one', 'acct_two']) {
      const silent = await endpoints(account, 100)
      for (const id of silent) here.receiver.lets(id, hang)
      await send(owner, account, silent, 1)
    }
    await here.until(() => here.receiver.posts.length === 2 * 18)
    const [well = ''] = await endpoints('acct_well', 1)
    const [event] = await send(owner, 'acct_well', [well], 1)
    if (event) await here.untilStatus(event, well, 'succeeded')
    assert.equal(here.receiver.posts.length, 2 * 18 + 1)
  })

  it('holds up none that answers at once that it can’t', async () => {
    const owner = here.own()
    const [swift = ''] = await endpoints('acct_swift', 1)
    here.receiver.lets(swift, status(500))
    const [before] = await send(owner, 'acct_swift', [swift], 1)
    if (before) await here.untilStatus(before, swift, 'waiting')
    for (let n = 0; n < 20; n++) {
      const dead = await endpoints(`acct_dead${n}`, 10)
      for (const id of dead) here.receiver.lets(id, first(1, reset, hang))
      await send(owner, `acct_dead${n}`, dead, 2)
    }
    const toDead = () => here.receiver.posts.length - here.receiver.of(swift).length
    await here.until(() => toDead() === 200 + 144, 50)
    here.receiver.lets(swift, status(200))
    const [event] = await send(owner, 'acct_swift', [swift], 1)
    if (event) await here.untilStatus(event, swift, 'succeeded', 50)
    assert.equal(toDead(), 200 + 144)
  })

  it('holds up others of its account with a quarter of the slots at most', async () => {
    const owner = here.own()
    const slow = await endpoints('acct_slow', 60)
    const [well = ''] = await endpoints('acct_well', 1)
    // They are known to answer swiftly before they do no more.
    for (const [account, ids] of [['acct_slow', slow] as const, ['acct_well', [well]] as const]) {
      const [event] = await send(owner, account, ids, 1)
      for (const id of ids) if (event) await here.untilStatus(event, id, 'succeeded')
    }
    for (const id of slow) here.receiver.lets(id, hang)
    const before = here.receiver.posts.length
    await send(owner, 'acct_slow', slow, 6)
    await here.until(() => here.receiver.posts.length === before + 96)
    const events = await send(owner, 'acct_well', [well], 50)
    for (const event of events) await here.untilStatus(event, well, 'succeeded')
    assert.equal(here.receiver.posts.length, before + 96 + 50)
  })

  it('holds up none of another, though those of many accounts answered swiftly before they all hang', async () => {
    const { clock } = here // It stands still: who hangs does so to the end.
    const resolver = createResolver({ clock })
    const dialer = createDialer({ clock, resolver, allow: parseRanges('127.0.0.0/8') })
    const owner = here.own({ dial: dialer })
    const accounts = Array.from({ length: 8 }, (_, n) => `acct_turns${n}`)
    for (const account of accounts) {
      const ids = await endpoints(account, 6)
      const events = await send(owner, account, ids, 20)
      for (const id of ids) for (const event of events) await here.untilStatus(event, id, 'succeeded')
      for (const id of ids) here.receiver.lets(id, hang)
    }
    const before = here.receiver.posts.length
    for (const account of accounts) {
      const hanging = Array.from({ length: 6 }, (_, n) => `wh_${account}_${n}`)
      await send(owner, account, hanging, 16)
    }
    let [seen, turns] = [0, 0]
    await here.until(() => {
      turns = here.receiver.posts.length === seen ? turns + 1 : 0
      seen = here.receiver.posts.length
      return turns > 100
    })
    assert.ok(seen - before > 192, `${seen - before}`)
    const [well = ''] = await endpoints('acct_well', 1)
    const events = await send(owner, 'acct_well', [well], 50)
    for (const event of events) await here.untilStatus(event, well, 'succeeded')
    await owner.stop()
    await dialer.close()
    resolver.close()
  })

  it('holds up callbacks to its own origin alone, and those of its own account alone', async t => {
    const owner = here.own()
    const elsewhere = await openReceiverBeside(here.receiver.url(''))
    t.after(() => elsewhere.close())
    const call = async (account: string, url: string, count: number) => {
      const events = someEvents(count, `${account}/live`)
      await here.keep(events)
      const to = { endpoint: callbackEndpoint(`${account}/live`, url), callback_url: url }
      for (const event of events) await owner.dispatcher.store.insert(newDelivery(event, to, ranks.first), [])
      return async () => {
        for (const event of events) await here.untilStatus(event, to.endpoint, 'succeeded')
      }
    }
    here.receiver.lets('dead', hang)
    await call('acct_1', here.receiver.url('dead'), 20)
    await here.until(() => here.receiver.of('dead').length === 1)
    await call('acct_1', here.receiver.url('beside'), 1)
    await (await call('acct_1', elsewhere.url('well'), 20))()
    await (await call('acct_2', here.receiver.url('well'), 20))()
    assert.deepEqual([here.receiver.of('dead').length, here.receiver.of('beside').length], [1, 0])
  })
})

/** A receiver whose origin has another endpoint id than this one's: there are 64, and its port is whatever is free. */
async function openReceiverBeside(url: string) {
  for (let tries = 0; tries < 6; tries++) {
    const other = await openReceiver()
    if (callbackEndpoint('', other.url('')) !== callbackEndpoint('', url)) return other
    await other.close()
  }
  return assert.fail('all origins have one endpoint id')
}
