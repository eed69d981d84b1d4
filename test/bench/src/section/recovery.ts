/**
 * How soon several processes serve again after one of them was killed and is back, alone, under a light load; and how
 * soon the tasks of a killed executor are queued again.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { repository } from '@millhand/test-e2e/server'
import { type Clients, createClients } from '@millhand/test-faults/clients'
import { ownerAddress, readTopic } from '@millhand/test-faults/evidence'
import { leasesBackMs } from '@millhand/test-faults/figures'
import type { Member } from '@millhand/test-faults/process-member'
import { random } from '@millhand/test-faults/random'
import { createPace } from '@millhand/test-faults/rate-pacing'
import { untilATaskSucceeds } from '@millhand/test-faults/recovery'
import { type MemberName, type System, startSystem } from '@millhand/test-faults/system'
import { digitRequest, longRequest } from '@millhand/test-faults/task-requests'
import type { Figure } from '../figure.ts'
import type { Workbench } from '../workbench.ts'

const TASKS_A_SECOND = 20
const RECOVERY_LIMIT_MS = 60_000
const BETWEEN_MS = 1_000
const LONG_RUNS = 6
const LONG_MS = 4_000

/** "Must hold": new tasks finish again so soon after any single process is back; leases within their time and a second. */
const SERVES_AGAIN_MS = 5_000
const LEASES_BACK_MS = 11_000

export async function recovery({ folder, rounds }: Workbench): Promise<Figure[]> {
  // The product's lease is longer (docs/decisions/one-owner.md): what is measured here is what comes on top of it.
  await using system = await startSystem({ root: repository, folder: folder(), ownerLeaseS: 2 })
  const seeded = random(1)
  const pace = createPace(TASKS_A_SECOND)
  const clients = createClients({
    urls: system.urls,
    key: system.key,
    clients: 8,
    next: async () => ((await pace.turn()) ? digitRequest(seeded) : undefined),
  })
  const serves = () => untilATaskSucceeds(clients, seeded, RECOVERY_LIMIT_MS)
  pace.admit(Number.POSITIVE_INFINITY)
  const working = clients.run()
  await serves()

  const back = async (victim: () => Promise<Victim>) => {
    const { kill, start } = await victim()
    await kill()
    await start()
    const served = await serves()
    await pause(BETWEEN_MS)
    return served
  }
  const figures: Figure[] = []
  for (const [name, victim] of Object.entries(victims(system)))
    figures.push(
      figure(
        `${name} is back: until a new task succeeds`,
        await timesOver(rounds, () => back(victim)),
        SERVES_AGAIN_MS,
      ),
    )
  const withoutOwner = async () => {
    const owner = await ownerOf(system)
    await owner.kill()
    const served = await serves()
    await owner.start()
    await pause(BETWEEN_MS)
    return served
  }
  figures.push(
    figure('compute, the owner stays away: likewise', await timesOver(rounds, withoutOwner), SERVES_AGAIN_MS),
  )
  const leases = () => leasesBack(system, clients)
  figures.push(
    figure('executor killed: until its tasks are queued again', await timesOver(rounds, leases), LEASES_BACK_MS),
  )
  pace.stop()
  await working
  return figures
}

type Victim = Pick<Member, 'kill' | 'start'>

/** One of each kind of process, and both parts of compute. */
function victims(system: System): Record<string, () => Promise<Victim>> {
  const { members, kafka, mongo } = system
  const member = (name: MemberName) => members.get(name) as Member
  return {
    gateway: async () => member('gateway-1'),
    identity: async () => member('identity'),
    'compute, the owner': () => ownerOf(system),
    'compute, the other': async () =>
      member((await ownerOf(system)) === member('compute-1') ? 'compute-2' : 'compute-1'),
    executor: async () => member('executor-1'),
    kafka: async () => kafka,
    mongo: async () => mongo,
  }
}

/** The compute that has the queues. */
async function ownerOf({ members, database, memberAt }: System): Promise<Member> {
  const name = memberAt((await ownerAddress(database)) ?? '')
  if (name === undefined) throw new Error('no compute has the queues')
  return members.get(name) as Member
}

/** Kills an executor that runs something, and starts it when the tasks of all leases have been queued again. */
async function leasesBack({ members, brokers }: System, clients: Clients): Promise<number> {
  const executor = members.get('executor-1') as Member
  const long = Array.from({ length: LONG_RUNS }, () =>
    clients.fulfil(longRequest(LONG_MS, { task: { max_attempts: 10 }, act: 'leave', pauseMs: 0 })),
  )
  await Promise.all(long)
  await pause(BETWEEN_MS) // They have begun, some of them there.
  const killed = performance.now()
  await executor.kill()
  await pause(LEASES_BACK_MS + BETWEEN_MS)
  await executor.start()
  const back = leasesBackMs(killed, await readTopic(brokers))
  if (back === undefined) throw new Error('the executor that was killed ran nothing')
  return back
}

async function timesOver(rounds: number, measure: () => Promise<number>): Promise<number[]> {
  const values: number[] = []
  for (let round = 0; round < rounds; round++) values.push(await measure())
  return values
}

const figure = (name: string, rounds: readonly number[], most: number): Figure => ({
  section: 'recovery',
  name,
  unit: 'ms',
  rounds,
  aim: { most },
  limits: [],
  details: {},
})
