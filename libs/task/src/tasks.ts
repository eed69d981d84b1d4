/** All tasks of one kind, in one replica of the service that owns them. */
import { createClient } from '@connectrpc/connect'
import { createIds, type KeyMode } from '@millhand/api'
import { OwnerService } from '@millhand/api/gen/millhand/lease/v1/owner_service_pb.ts'
import type { Blobs } from '@millhand/blob'
import { createWorkStore, type LeaseCause, Pool, type PoolOptions, type Refusal, type WorkStore } from '@millhand/lease'
import type { Collection, DocumentRef } from '@millhand/store'
import { traceIds } from '@millhand/telemetry'
import { taskEvents } from './events.ts'
import { createInputs } from './inputs.ts'
import { QueueLimit } from './queue-limit.ts'
import { removeExpired } from './retention.ts'
import { createEmissions, type EmissionsRecord } from './stream/emissions.ts'
import { createStreamTokens } from './stream-token.ts'
import { modeOf, type TaskBase } from './task.ts'
import type { TaskDeps } from './task-deps.ts'
import { createTaskMetrics, observeQueues } from './task-metrics.ts'
import { TaskWatch } from './task-watch.ts'
import type { TaskCause } from './transition.ts'

export interface TasksOptions<T extends TaskBase>
  extends Pick<TaskDeps<T>, 'kind' | 'replicas' | 'clock' | 'log' | 'retentionMs'> {
  readonly tasks: Collection<T, 'ready' | 'due'>
  readonly emissions: Collection<EmissionsRecord, never>
  /** Where large inputs lie. */
  readonly blobs: Blobs
  /** The task after a cause, or why it can't be: `taskTransition`, and what is the kind's own. Pure. */
  readonly transition: (task: T, cause: TaskCause, now: number) => T | Refusal
  /** What an account's tasks may have of a pool: its latest one tells. */
  readonly share: PoolOptions<T, TaskCause>['share']
  /** How many tasks of a group share a run at most; where it is left out a run is of one task, and a claim's of any groups. */
  readonly maxBatch?: (pool: string, group: string) => number
  /** What a task runs, as metrics call it: a name of a bounded set. Its group, where it is left out. */
  readonly modelName?: (task: T) => string
  /** At least 32 bytes, the same for all replicas. */
  readonly streamTokenSecret: Uint8Array
}

export interface Tasks<T extends TaskBase> {
  readonly deps: TaskDeps<T>
  /**
   * What the owner of the queues does until the signal ends: fills and sweeps them, and removes what has been kept
   * long enough. Claims and waits end with the signal, however long the store takes with what was asked of it before.
   */
  run(signal: AbortSignal): Promise<void>
  /** Tells the owner of a task that another replica has changed: as it is in the store now. */
  heard(task: T): void
  /** Tells the owner, where that is another replica, of documents that this one has changed. Never fails. */
  tellOwner(documents: readonly DocumentRef[]): Promise<void>
}

/** Does nothing by itself until `run`; several replicas may have one over the same collections. */
export function createTasks<T extends TaskBase>(options: TasksOptions<T>): Tasks<T> {
  const { kind, clock, log, replicas, retentionMs, transition, share, maxBatch } = options
  const ids = createIds({ now: () => clock.now() })
  const newEventId = () => ids('evt')
  const watch = new TaskWatch<T>(clock)
  const onDecided = (before: T | undefined, after: T) => byName.get(after.pool)?.changed(before, after)
  const onChanged = (before: T | undefined, after: T) => {
    onDecided(before, after)
    watch.changed(after)
  }
  const metrics = createTaskMetrics(options.modelName ?? (task => task.group))
  const tasks = createWorkStore<T, TaskCause>({
    collection: options.tasks,
    machine: { transition, events: (before, after, now) => taskEvents(kind, before, after, now, newEventId) },
    clock,
    onChanged(before, after) {
      metrics.written(before, after)
      onChanged(before, after)
    },
    onDecided,
    onDoubt: (task, wasDecided) => byName.get(task.pool)?.doubt(task, wasDecided),
  })
  const createPool = (name: string, mode: KeyMode): Pool<T, TaskCause> =>
    new Pool<T, TaskCause>({
      name,
      work: tasks as WorkStore<T, TaskCause | LeaseCause>,
      clock,
      newLeaseId: () => crypto.randomUUID(),
      share,
      // What an account may run at once is of all its tasks of a mode, whichever pool they are in.
      siblings: () => namesOf(mode).flatMap(other => (other === name ? [] : (byName.get(other) ?? []))),
      ...(maxBatch && { maxBatch: group => maxBatch(name, group) }),
      onReread: task => watch.changed(task),
      onManyInDoubt: () => watch.endAll(),
      onError: (error, task) =>
        log.error('pool.sweep_failed', {
          pool: name,
          ...(task && { task_id: task.id, ...traceIds(task.traceparent) }),
          error,
        }),
    })
  const namesOf = (mode: KeyMode) => [kind.poolOf(mode), ...(kind.otherPoolsOf?.(mode) ?? [])]
  const modes = ['live', 'test'] as const
  const byName = new Map(modes.flatMap(mode => namesOf(mode).map(name => [name, createPool(name, mode)] as const)))
  const deps: TaskDeps<T> = {
    kind,
    tasks,
    emissions: createEmissions(options.emissions),
    replicas,
    pools: {
      first: mode => byName.get(kind.poolOf(mode)) as Pool<T, TaskCause>,
      named: name => byName.get(name),
    },
    inputs: createInputs(options.blobs, kind.inputsAt),
    queueLimit: new QueueLimit(async (tenant, limit) => {
      const counts = await Promise.all(namesOf(modeOf(tenant)).map(pool => tasks.countWaiting(pool, tenant, limit)))
      return counts.reduce((sum, count) => sum + count, 0)
    }, clock),
    watch,
    streamTokens: createStreamTokens(options.streamTokenSecret, clock),
    clock,
    log,
    ids,
    newEventId,
    retentionMs,
    position: task => (task.status === 'queued' ? byName.get(task.pool)?.position(task.id) : undefined),
  }

  return {
    deps,
    async run(signal) {
      watch.hear(signal)
      observeQueues(
        [...byName].map(([pool, each]) => ({
          pool,
          count: limit => tasks.countWaiting(pool, undefined, limit),
          oldest: () => each.oldestId(),
        })),
        () => clock.now(),
        signal,
      )
      await Promise.all([...[...byName.values()].map(pool => pool.run(signal)), removeExpired(deps, signal)])
      watch.endAll() // What came while it ended.
      tasks.flush()
    },
    heard: task => onChanged(undefined, task),
    async tellOwner(documents) {
      const owner = replicas.owner()
      if (owner === undefined || owner === 'here') return
      try {
        await createClient(OwnerService, replicas.peer(owner.address)).ring(
          { documents: [...documents] },
          { timeoutMs: TELL_MS },
        )
      } catch (error) {
        log.debug('owner.not_told', { documents: documents.length, error }) // It looks for what it missed.
      }
    },
  }
}

/** After that the owner has found it by itself. */
const TELL_MS = 1_000
