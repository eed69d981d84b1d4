/** What the oracle is given: a log of events of three months, in the order of their arrival, and the prices. */
import { readFileSync } from 'node:fs'
import type { LoggedEvent } from '@millhand/eventlog'
import { publicTopics } from '@millhand/eventlog/public-topics'
import { parsePlanFile, pricesOf } from '@millhand/plans'
import { type Arrival, type Changed, costOf, type Ended, type Rates } from './oracle.fixture.ts'

const DAY_MS = 86_400_000
/** What comes after December has closed is of January. */
export const MONTHS = ['2026-09', '2026-10', '2026-11', '2026-12', '2027-01']
export const FROM = Date.UTC(2026, 8)
/** In the middle of a month, not at the full hour. */
export const PRICE_CHANGE = Date.UTC(2026, 9, 17, 11, 3, 7)
const TO = Date.UTC(2026, 11)

const file = readFileSync(new URL('../../../deploy/plans.yaml', import.meta.url), 'utf8')
const [, shipped = ''] = file.split('prices:\n')
const dearer = shipped
  .replace('2026-01-01T00:00:00Z', new Date(PRICE_CHANGE).toISOString().replace('.000', ''))
  .replace('pro: 49', 'pro: 59.99')
  .replaceAll('0.00002', '"0.000033333"')
export const prices = pricesOf(parsePlanFile(file + dearer, 'plans.yaml').prices)
export const rates: Rates = at =>
  at < PRICE_CHANGE ? { second: 20_000n, pro: 49_000_000n } : { second: 33_333n, pro: 59_990_000n }

export const tenantOf = (account: number) => `acct_${String(account).padStart(26, '0')}/live`

/** In the order of their arrival: one in ten comes twice, most in seconds, some up to 40 days late. */
export function arrivalsOf(events: number, accounts: number, random: () => number): Arrival[] {
  const arrivals: Arrival[] = []
  const delay = () => (random() < 0.9 ? random() * 60_000 : random() * 40 * DAY_MS)
  for (let account = 0; account < accounts; account++) {
    const changes = 1 + Math.floor(random() * 8)
    // Identity numbers them as they happen; they are heard of in any order.
    const later = Array.from({ length: changes - 1 }, () => FROM + Math.floor(random() * (TO - FROM)))
    const times = [FROM, ...later.sort((one, other) => one - other)]
    for (let version = 1; version <= changes; version++) {
      const at = times[version - 1] as number
      const changed: Changed = { account, at, version, developer: random() < 0.6 ? 'pro' : 'free' }
      arrivals.push({ at: version === 1 ? FROM : at + delay(), event: { changed } })
    }
  }
  for (let n = 0; n < events; n++) {
    const at = FROM + Math.floor(random() * (TO - FROM))
    const isWork = random() < 0.3
    const tokens =
      isWork && random() < 0.5
        ? { count: 1 + Math.floor(random() * 900), micros: Math.floor(random() * 5e4) }
        : undefined
    const ended: Ended = {
      account: Math.floor(random() * random() * accounts),
      id: `${isWork ? 'wtask' : 'task'}_${String(n).padStart(26, '0')}`,
      at,
      ms: Math.floor(random() * 100_000),
      model: isWork ? (['emma', 'alex'][n % 2] as string) : (['digits', 'a/b', 'é|%'][n % 3] as string),
      ...(tokens && { tokens }),
      ...(!isWork && n % 7 === 0 && { instance: 'inst_a' }),
    }
    arrivals.push({ at: at + delay(), event: { ended } })
    if (random() < 0.1) arrivals.push({ at: at + delay(), event: { ended } })
  }
  return arrivals.sort((a, b) => a.at - b.at)
}

export const eventOf = (arrival: Arrival): LoggedEvent => eventAt(arrival, rates)

/** The cost in the event is that of these rates. */
export function eventAt({ event }: Arrival, ofRates: Rates): LoggedEvent {
  const about = 'changed' in event ? changedEvent(event.changed) : endedEvent(event.ended, ofRates)
  const [account_id, mode] = tenantOf(('changed' in event ? event.changed : event.ended).account).split('/')
  const value = JSON.stringify({ ...about.value, id: about.id, account_id, mode })
  return { key: about.id, position: about.id, ...about, value }
}

function changedEvent({ at, version, developer, account }: Changed) {
  const object = { compute: 'starter', developer, workforce: 'none' }
  const type = 'account.plans_changed'
  const topic = publicTopics.identity.name
  return {
    topic,
    id: `evt_${account}_${version}`,
    type,
    time: at,
    value: { resource_version: version, data: { object } },
  }
}

function endedEvent(ended: Ended, ofRates: Rates) {
  const { id, at, ms, model, instance, tokens } = ended
  const cost = costOf(ended, ofRates) + BigInt(tokens?.micros ?? 0)
  const object = {
    id,
    ...(id.startsWith('wtask')
      ? { employee: model, task: 'answer_ticket', engine: 'llm' }
      : { model, type: 'inference' }),
    usage: {
      ...{ queue_ms: 1, compute_ms: ms, gpu_type: 'cpu', output_tokens: tokens?.count ?? 0, items: 1 },
      ...(instance !== undefined && { instance_id: instance }),
    },
    cost: { amount: `${cost / 1_000_000n}.${String(cost % 1_000_000n).padStart(6, '0')}`, currency: 'USD' },
    finished_at: new Date(at).toISOString(),
  }
  const type = id.startsWith('wtask') ? 'workforce.task.succeeded' : 'task.succeeded'
  const topic = publicTopics[id.startsWith('wtask') ? 'workforce' : 'tasks'].name
  return { topic, id: `evt_${id}`, type, time: at, value: { data: { object } } }
}

/** mulberry32 */
export function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
