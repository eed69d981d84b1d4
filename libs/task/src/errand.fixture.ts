/** An errand: the least that a kind of task is. It bills each second that its run began, and keeps nothing else of it. */
import { workIndexes } from '@millhand/lease'
import type { CollectionSpec } from '@millhand/store'
import type { TaskBase } from './task.ts'
import type { TaskKind } from './task-kind.ts'
import { taskTransition } from './transition.ts'

export interface Errand extends TaskBase {
  readonly seconds?: number | undefined
}

export const errandKind: TaskKind<Errand> = {
  idPrefix: 'wtask',
  eventPrefix: 'errand.',
  topic: 'errands',
  write: ({ id, status, seconds, output_file }, output) => JSON.stringify({ id, status, seconds, output, output_file }),
  poolOf: mode => `${mode}/errands`,
  inputsAt: 'errand-inputs/',
}

export const errandsSpec = { name: 'errands', indexes: workIndexes } as const satisfies CollectionSpec
export const errandEmissionsSpec = { name: 'errand_emissions', indexes: {} } as const satisfies CollectionSpec

export const errandTransition = taskTransition<Errand>({
  retentionMs: 86_400_000,
  bill: (_errand, { compute_ms }) => ({ seconds: Math.ceil(compute_ms / 1000) }),
  random: () => 0.5,
})

/** As it is when it has been accepted. */
export const errandAt = (at: number): Errand => ({
  tenant: 'acct_a/live',
  id: 'wtask_a',
  version: 1,
  account_id: 'acct_a',
  mode: 'live',
  pool: 'live/errands',
  group: 'walk',
  rank: 1,
  alone: false,
  status: 'queued',
  input: '[1]',
  metadata: {},
  queue_timeout_s: 60,
  run_timeout_s: 600,
  max_attempts: 3,
  attempt: 0,
  evictions: 0,
  returns: 0,
  created_at: at,
  backoff_ms: 0,
  due_at: at + 60_000,
  lease_id: '',
  resource_version: 1,
  history: [{ version: 1, status: 'queued', at, attempt: 0 }],
})
