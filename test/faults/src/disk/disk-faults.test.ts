/**
 * The disk fails after states were decided and before they were written: it is full, read-only, slow, or does not sync.
 * Nobody hears of what was not stored, callers are told to come back, and all goes on once the disk does. `TEST_ALL`
 * makes each of them fail three times.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Answer } from '@millhand/test-e2e/http'
import { operatorEnv } from '@millhand/test-e2e/operator'
import { type Received, startReceiver } from '@millhand/test-e2e/receiver'
import { startServer } from '@millhand/test-e2e/server'
import { taskBillFaults } from '../bills.ts'
import { createClients } from '../clients.ts'
import { type Logged, violations } from '../history-checks.ts'
import { allEnded, listAll, readEvents, readHistories } from '../outcome.ts'
import { chosenSeed, random } from '../random.ts'
import { untilATaskSucceeds } from '../recovery.ts'
import { waitingRequest } from '../task-requests.ts'
import { type DiskFault, gccMissing, prepareDisk } from './disk.ts'
import { streamFaults, webhookFaults } from './heard.ts'
import { createStreamVisitors } from './stream-visitors.ts'

/** The machine that runs the whole form is quiet. */
const isWhole = process.env.TEST_ALL !== undefined
const ROUNDS = isWhole ? 3 : 1
const CLIENTS = 64
const STREAMS = 8
/** A task succeeds so soon after the disk is well. */
const RECOVERED_MS = 300_000
/** And every event is told so soon after the last. */
const TOLD_MS = 300_000

/** What a caller is told of each, apart from "come back". `slow` is told nothing: it has to wait. */
const faults: readonly Exclude<DiskFault, 'none'>[] = ['full', 'read-only', 'slow', 'sync fails']

test('nobody hears of what a disk did not store, and all goes on once the disk does', {
  skip: gccMissing,
  timeout: 1_800_000,
}, async t => {
  const seed = chosenSeed()
  t.diagnostic(`seed ${seed} (MILLHAND_SEED=${seed} replays it)`)
  using disk = prepareDisk({ isRecorded: false })
  await using server = await startServer({ dataDir: disk.dataDir, env: disk.env })
  await using receiver = await startReceiver()
  const json = { url: receiver.url('/hook'), events: ['task.*'] }
  assert.equal((await server.request('POST', '/v1/webhooks', { json })).status, 201)

  const requests = random(seed)
  const over = new AbortController()
  const refused: Answer[] = []
  const answered = new EventTarget()
  const clients = createClients({
    urls: () => [server.url],
    key: server.key,
    clients: CLIENTS,
    next: async () => {
      answered.dispatchEvent(new Event('one'))
      return over.signal.aborted ? undefined : waitingRequest(requests)
    },
    // A disk that stands still for 10 s beside ours is no fault of ours.
    unavailable: isWhole ? [503] : [503, 504],
    onUnavailable: answer => {
      if (answer.status === 503) refused.push(answer)
      answered.dispatchEvent(new Event('refused'))
    },
  })
  const running = clients.run()
  const visitors = createStreamVisitors({ url: server.url, key: server.key, visitors: STREAMS, signal: over.signal })
  const visiting = visitors.run()
  const moments = random(seed + 1)
  for (const fault of Array.from({ length: ROUNDS }, () => faults).flat()) {
    for (let answers = moments.between(100, 500); answers > 0; answers--) await once(answered, 'one')
    const before = refused.length
    disk.setFault(fault)
    if (fault === 'slow') await once(answered, 'one')
    else while (refused.length < before + CLIENTS) await once(answered, 'refused')
    await pause(moments.between(0, 2_500))
    disk.setFault('none')
    const recovered = await untilATaskSucceeds(clients, random(seed + 2), RECOVERED_MS)
    t.diagnostic(`${fault}: ${refused.length - before} refused, a task succeeds ${Math.round(recovered)} ms later`)
  }
  over.abort()
  const seen = await running
  const heard = await visiting
  await allEnded(server, 300_000)
  const { key, url } = server
  const billed = await taskBillFaults({ keys: [key], urls: () => [url], operator: operatorEnv(server) }, 300_000)
  const listed = await listAll(server)
  const file = join(server.dataDir, 'millhand.db')
  const untold = await untoldEvents(file, () => receiver.at('/hook'))
  await server.stop()
  const events = readEvents(file)

  const unacknowledged = listed.length - seen.acknowledged.length - heard.length
  t.diagnostic(
    `${seen.acknowledged.length} answered with 201, ${refused.length} with 503, ${heard.length} streams, ` +
      `${receiver.at('/hook').length} webhooks, ${unacknowledged} tasks whose create was not answered, ` +
      `${Math.max(...listed.map(({ attempt }) => attempt))} attempts at most`,
  )
  assert.deepEqual(seen.unexpected.slice(0, 5), [])
  assert.deepEqual(visitors.stuck, [], `seed ${seed}: streams that never ended`)
  assert.deepEqual(
    refused
      .filter(isUnclear)
      .map(({ text, headers }) => ({ text, headers }))
      .slice(0, 5),
    [],
  )
  const histories = readHistories(file)
  assert.deepEqual(violations({ ...seen, events, finals: listed, histories }).slice(0, 20), [], `seed ${seed}`)
  assert.deepEqual(streamFaults(heard, events).slice(0, 20), [], `seed ${seed}`)
  assert.deepEqual(webhookFaults(receiver.at('/hook'), events).slice(0, 20), [], `seed ${seed}`)
  assert.deepEqual(untold.slice(0, 5), [], `seed ${seed}: no webhook told of them`)
  assert.deepEqual(billed.slice(0, 20), [], `seed ${seed}`)
})

/** A 503 says that it may be sent again, and when. */
const isUnclear = ({ body, headers }: Answer): boolean =>
  body.code !== 'unavailable' || !(Number(headers['retry-after']) >= 1) || headers['x-should-retry'] !== 'true'

/** The events that no webhook has told of, once there are none or after five minutes. */
async function untoldEvents(file: string, received: () => readonly Received[]): Promise<readonly Logged[]> {
  for (const end = performance.now() + TOLD_MS; ; await pause(500)) {
    const told = new Set(received().map(({ body }) => body.id))
    const untold = readEvents(file).filter(({ id }) => !told.has(id))
    if (untold.length === 0 || performance.now() > end) return untold
  }
}
