/** Work of employees beside tasks of compute, while every process is killed: one after the other, and all at once. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { publicTopics } from '@millhand/eventlog/public-topics'
import { send } from '@millhand/test-e2e/http'
import { repository } from '@millhand/test-e2e/server'
import { javaMissing } from '@millhand/test-servers'
import { billFaults, chargesOfHistory, settledBill, verifyFaults } from '../bills.ts'
import { createClients } from '../clients.ts'
import { withoutRepeats } from '../deduplication.ts'
import { allSettled, readStore, readTopic } from '../evidence.ts'
import { violations } from '../history-checks.ts'
import { chosenSeed, random } from '../random.ts'
import { createPace } from '../rate-pacing.ts'
import { shuffled } from '../schedule.ts'
import { type MemberName, type System, startSystem } from '../system.ts'
import { usageFaults } from '../usage.ts'
import { fileFaults, placeFaults, readWork, type Work, workUsageFaults } from './evidence.ts'
import { anyWork } from './task-requests.ts'

const MEMBERS: readonly MemberName[] = [
  'gateway-1',
  'identity',
  'billing',
  'compute-1',
  'workforce',
  'executor-1',
  'executor-2',
]
/** They are killed more than once: they hold what runs. */
const OFTEN: readonly MemberName[] = ['workforce', 'compute-1', 'executor-1', 'executor-2']
const TASKS = 180
const CLIENTS = 12
const TASKS_A_SECOND = 15
/** Engines get what others leave of the processor, which may be little. */
const SETTLE_LIMIT_MS = 300_000
const USAGE_LIMIT_MS = 300_000
const FILES_LIMIT_MS = 300_000

test('work of employees is not lost, not done twice, and counted once in quota, usage, bill and files, whatever is killed', {
  skip: javaMissing,
  timeout: 1_800_000,
}, async t => {
  const seed = chosenSeed(700)
  t.diagnostic(`seed ${seed} (MILLHAND_SEED=${seed} replays it)`)
  const folder = mkdtempSync(join(tmpdir(), 'millhand-workforce-faults-'))
  const { found, work } = await run(seed, folder, line => t.diagnostic(line))
  assert.deepEqual(found.slice(0, 20), [], `seed ${seed}; logs and data in ${folder}`)
  assert.ok(work.filter(({ status }) => status === 'succeeded').length > work.length / 2)
  assert.ok(work.some(({ files }) => files.length > 0))
  rmSync(folder, { recursive: true })
})

/** Every breach of a promise, in words, and the employees' tasks as they are in the end. */
async function run(
  seed: number,
  folder: string,
  say: (line: string) => void,
): Promise<{ readonly found: readonly string[]; readonly work: readonly Work[] }> {
  const began = performance.now()
  const tell = (line: string) => say(`[${((performance.now() - began) / 1_000).toFixed(1)} s] ${line}`)
  await using system = await startSystem({ root: repository, folder, members: MEMBERS })
  const headers = { authorization: `Bearer ${system.key}` }
  const ask = (method: string, path: string) => send(method, system.urls()[0] + path, { headers })

  const requests = random(seed + 1)
  const pace = createPace(TASKS_A_SECOND)
  const clients = createClients({
    urls: system.urls,
    key: system.key,
    clients: CLIENTS,
    next: async () => ((await pace.turn()) ? anyWork(requests) : undefined),
  })
  const working = clients.run()
  const moments = random(seed)
  const kills = [...shuffled([...MEMBERS, ...OFTEN], moments).map(member => [member]), MEMBERS]
  for (const [at, members] of kills.entries()) {
    pace.admit(Math.round((TASKS * (at + 1)) / (kills.length + 1)))
    await pause(moments.between(500, 2_500))
    await killed(system, members, moments.between(0, 1_500))
    tell(`killed ${members.join(', ')}; ${clients.seen.acknowledged.length} tasks so far`)
  }
  pace.admit(TASKS)
  pace.close()
  const seen = await working
  tell(`${seen.acknowledged.length} tasks answered, ${seen.unanswered} calls unanswered`)
  const unsettled = await allSettled(system.database, SETTLE_LIMIT_MS).then(
    () => [],
    (error: Error) => [error.message],
  )

  const [compute, work, messages] = await Promise.all([
    readStore(system.database),
    readWork(system.database),
    readTopic(system.brokers, [publicTopics.tasks.name, publicTopics.workforce.name]),
  ])
  const topic = withoutRepeats(messages)
  const ended = Map.groupBy(work.finals, ({ kind, status }) => `${kind} ${status}`)
  tell([...ended].map(([words, tasks]) => `${tasks.length} ${words}`).join(', '))
  const again = work.finals.filter(({ attempt }) => attempt > 1).length
  tell(`${again} of ${work.finals.length} were run again; ${topic.repeats.length} events came again`)
  const charges = chargesOfHistory(topic.events)
  const found = [
    ...unsettled,
    ...seen.unexpected,
    ...compute.leftovers,
    ...work.leftovers,
    ...topic.faults,
    ...violations({ ...seen, events: topic.events, finals: [...compute.finals, ...work.finals] }),
    ...(await placeFaults(system.database, work.finals, seen.unanswered)),
    ...(await fileFaults(ask, work.finals, FILES_LIMIT_MS)),
    ...(await usageFaults(ask, compute.finals, USAGE_LIMIT_MS)),
    ...(await workUsageFaults(ask, work.finals, USAGE_LIMIT_MS)),
    ...billFaults(await settledBill(ask, charges, USAGE_LIMIT_MS), charges),
    ...(await verifyFaults(system.operator)),
  ]
  tell(`${found.length} broken promises`)
  return { found, work: work.finals }
}

/** SIGKILL to all of them, and started again after `ms`, all at once: each waits for what it needs. */
async function killed({ members }: System, names: readonly MemberName[], ms: number): Promise<void> {
  const victims = names.flatMap(name => members.get(name) ?? [])
  await Promise.all(victims.map(victim => victim.kill()))
  await pause(ms)
  await Promise.all(victims.map(victim => victim.start()))
}
