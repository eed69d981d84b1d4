/** What the methods of a kind of task work with. */
import type { Ids, KeyMode } from '@millhand/api'
import type { Pool, Replicas, WorkStore } from '@millhand/lease'
import type { Clock } from '@millhand/process'
import type { Log } from '@millhand/telemetry'
import type { Inputs } from './inputs.ts'
import type { QueueLimit } from './queue-limit.ts'
import type { Emissions } from './stream/emissions.ts'
import type { StreamTokens } from './stream-token.ts'
import type { TaskBase } from './task.ts'
import type { TaskKind } from './task-kind.ts'
import type { TaskWatch } from './task-watch.ts'
import type { TaskCause } from './transition.ts'

/** The pools of a kind's tasks. */
interface Pools<T extends TaskBase> {
  /** What tasks of a mode are in unless their record says otherwise. */
  first(mode: KeyMode): Pool<T, TaskCause>
  named(name: string): Pool<T, TaskCause> | undefined
}

export interface TaskDeps<T extends TaskBase> {
  readonly kind: TaskKind<T>
  readonly tasks: WorkStore<T, TaskCause>
  readonly emissions: Emissions
  readonly replicas: Replicas
  readonly pools: Pools<T>
  readonly inputs: Inputs
  readonly queueLimit: QueueLimit
  readonly watch: TaskWatch<T>
  readonly streamTokens: StreamTokens
  readonly clock: Clock
  readonly log: Log
  readonly ids: Ids
  readonly newEventId: () => string
  /** How long an ended task and its data are kept, in milliseconds. */
  readonly retentionMs: number
  /** About how many tasks run before this one, while it is queued. */
  readonly position: (task: T) => number | undefined
}
