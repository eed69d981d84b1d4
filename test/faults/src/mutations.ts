/**
 * What keeps the promises, taken out one at a time, in a copy of the tree: the checker has to find each within one run,
 * `pnpm faults --mutate <name>`, or a test where a run has nobody whom it would hurt. They are in no build of the
 * product.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Mutation {
  readonly file: string
  /** Is in the file once. */
  readonly text: string
  readonly becomes: string
  /** The test that finds it; without one a run of faults does. */
  readonly foundBy?: { readonly file: string; readonly test: string }
  /** It is found by the storm on webhooks, not by that on tasks. */
  readonly isOfWebhooks?: true
}

export const mutations: Readonly<Record<string, Mutation>> = {
  /** The result of a lease that is not the live one is taken. */
  fence: {
    file: 'libs/task/src/transition.ts',
    text: 'return holds(task, cause.held) ? finished(',
    becomes: 'return cause.held ? finished(',
  },
  /** A change is written over whatever another has made of the document meanwhile. */
  version: {
    file: 'libs/store/src/mongo/write-statement.ts',
    text: 'q: { _id: key, version }, fields, events, isPending: events.length > 0,',
    becomes: 'q: { _id: key }, fields, events, isPending: events.length > 0,',
  },
  /** Events are taken out of the outbox whether the log has them or not: no storm is without a death of Kafka. */
  outbox: {
    file: 'libs/eventlog/src/kafka/producer.ts',
    text: 'return await orEnded(sendWith(open, batch), client.gone)',
    becomes: `return await orEnded(sendWith(open, batch), AbortSignal.timeout(500)).catch(() => {
          client?.cut()
          client = open = undefined
          return []
        })`,
  },
  /** The offset in the log moves on before what was read up to there is stored. */
  place: {
    file: 'services/webhook/src/intake/intake.ts',
    text: 'await takeIn(deps, wanted, archiveOne, signal)',
    becomes: `await offset.moveTo(batch.at(-1)?.position ?? offset.position, since)
      await takeIn(deps, wanted, archiveOne, signal)`,
    isOfWebhooks: true,
  },
  /** A subscription hands on an event as often as the log has it. No part of the product subscribes yet. */
  deduplication: {
    file: 'libs/eventlog/src/kafka/subscribe.ts',
    text: 'events.filter(({ id }) => !done.has(id) && ids.size < ids.add(id).size)',
    becomes: 'events',
    foundBy: { file: 'libs/eventlog/src/kafka/repeats.test.ts', test: 'is handled once by a subscription' },
  },
  /** Billing charges a task as often as its event comes. A storm has too few events that come twice. */
  charge_once: {
    file: 'services/billing/src/ledger/posting.ts',
    text: 'const fresh = all.filter(({ id }) => !stored.get(id)?.posted)',
    becomes: 'const fresh = all',
    foundBy: { file: 'services/billing/src/oracle.test.ts', test: 'at once: the ledger and an independent reference' },
  },
  /** A replica that no record here has started is left alone: one of a call that an owner died in. */
  adoption: {
    file: 'services/instance/src/reconciler.ts',
    text: 'await this.#adopt(seen, signal)',
    becomes: '',
    foundBy: {
      file: 'services/instance/src/storm.test.ts',
      test: 'desired is observed after the last fault; nothing is lost, doubled or metered wrongly',
    },
  },
  /** A change of an instance is written over whatever another has made of it meanwhile. A storm finds it by luck. */
  instance_version: {
    file: 'services/instance/src/instance-store.ts',
    text: "await deps.instances.write({ kind: 'replace', version, document, events })",
    becomes: `await deps.instances.get(instance.tenant, instance.id).then(now =>
    deps.instances.write({ kind: 'replace', version: now?.version ?? version, document, events }))`,
    foundBy: {
      file: 'services/instance/src/conflict.test.ts',
      test: 'a change is stored only if the record is still the one that it was made from',
    },
  },
  /** An executor in an instance claims the tasks of all accounts. */
  executor_account: {
    file: 'services/compute/src/executors/confined-leases.ts',
    text: 'tenant: executor.tenant, waitMs }',
    becomes: 'waitMs }',
    foundBy: {
      file: 'deploy/src/processes/instance-executors.test.ts',
      test: 'of the instance of another account',
    },
  },
  /** An executor in an instance reads and ends the runs of all accounts. */
  executor_runs: {
    file: 'services/compute/src/executors/confined-leases.ts',
    text: 'if (tenants.some(named => named !== tenant))',
    becomes: 'if (tenants.length < 0 && tenant)',
    foundBy: {
      file: 'services/compute/src/executors/confined-leases.test.ts',
      test: 'names runs of its own account in finish',
    },
  },
  /** The credential of a replica stays valid after its restart. */
  executor_generation: {
    file: 'services/instance/src/executors.ts',
    text: 'slot.generation === generation',
    becomes: 'slot.generation >= generation',
    foundBy: { file: 'deploy/src/processes/instance-executors.test.ts', test: 'of an older generation' },
  },
  /** A task that ran in an instance of its account is billed besides the instance. */
  paid_twice: {
    file: 'services/compute/src/compute.ts',
    text: 'instance_id === undefined ? prices.',
    becomes: 'instance_id !== null ? prices.',
    foundBy: {
      file: 'services/compute/src/transition.test.ts',
      test: 'costs nothing in an instance of its own account, and says in which it ran',
    },
  },
  /** An expired token can be renewed. */
  executor_expiry: {
    file: 'services/compute/src/executors/get-token.ts',
    text: 'if (known.expiresAt <= clock.now()) throw',
    becomes: 'if (known.expiresAt < 0) throw',
    foundBy: {
      file: 'deploy/src/processes/instance-executors.test.ts',
      test: 'is renewed in time; without that it ends after 5 minutes',
    },
  },
}

/** What runs the product, and what its tests start; no data. */
const PARTS = ['deploy', 'gateway', 'libs', 'services', 'test/fixtures', 'test/servers', 'package.json'] as const

/** The source as the mutation makes it. Throws where it does not fit any more. */
export function mutated(source: string, { file, text, becomes }: Mutation): string {
  const parts = source.split(text)
  if (parts.length !== 2) throw new Error(`${file} holds ${parts.length - 1} times, not once: ${text}`)
  return parts.join(becomes)
}

/** Copies the tree at `root` to the folder `copy`, with the mutation in it. Installed packages stay where they are. */
export function mutatedTree(root: string, copy: string, mutation: Mutation): void {
  for (const part of PARTS) cpSync(join(root, part), join(copy, part), { recursive: true, verbatimSymlinks: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  const file = join(copy, mutation.file)
  writeFileSync(file, mutated(readFileSync(file, 'utf8'), mutation))
}

/** Whether what the test asserts fails in the tree at `root`: not that it can't be run. */
export function isFound(root: string, { file, test }: NonNullable<Mutation['foundBy']>): boolean {
  const words = ['--disable-warning=ExperimentalWarning', '--test', '--test-reporter=tap', '--test-timeout=60000']
  const { NODE_TEST_CONTEXT: _, ...env } = process.env // Else it takes this process's runner for its own.
  const { stdout } = spawnSync(process.execPath, [...words, `--test-name-pattern=${test}`, join(root, file)], {
    env,
    encoding: 'utf8',
  })
  return stdout.includes(`not ok 1 - ${test}`) && stdout.includes("code: 'ERR_ASSERTION'")
}
