/** Calls to the engine that take long: they run beside the passes, one for each replica at a time. */
import type { SecretCipher } from '@millhand/api'
import type { Clock } from '@millhand/process'
import { type Log, spans, traceIds, within } from '@millhand/telemetry'
import {
  type Driver,
  DriverFault,
  type ObservedReplica,
  type PullProgress,
  type ReplicaSpec,
} from './drivers/driver.ts'
import { type ExecutorImage, executorEnv, isExecutor } from './executors.ts'
import { type InstanceRecord, replicaName, type Secrets, type Slot, sealedFor } from './instance.ts'
import { engineSpan } from './instance-trace.ts'
import type { Cause } from './transition.ts'

export interface EngineCallsDeps {
  readonly driver: Driver
  readonly cipher: SecretCipher
  readonly executors?: ExecutorImage | undefined
  readonly clock: Clock
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Hears what a call came to. */
  readonly caused: (instance: InstanceRecord, cause: Cause) => Promise<void>
  /** Hears that a call has ended. */
  readonly settled: () => void
}

export interface EngineCalls {
  /**
   * Starts the replica of a slot; false where it is being started, or as many of its account are as may be: a later pass
   * asks again.
   */
  create(instance: InstanceRecord, slot: Slot, signal: AbortSignal): boolean
  /** Ends the start of a replica that is not wanted any more, if it is still waiting for its image. */
  cancel(name: string): void
  /**
   * Removes a replica, unless it is being removed, or was a moment ago in vain. One that runs is only ended where its end would be
   * forgotten: a later pass notes it, and asks again. `of` is its instance, where that is known.
   */
  remove(replica: ObservedReplica, signal: AbortSignal, of?: InstanceRecord): void
  /** The names of those that are being started. */
  creating(): ReadonlySet<string>
  hasCreated(name: string): boolean
  /** Resolves once no call is under way, after their signal. */
  close(): Promise<void>
}

/** Of one account: so a slow registry of one holds up nobody else. */
const CREATES_OF_TENANT = 8
/** After a removal that failed. */
const RETRY_MS = 1_000

export function createEngineCalls(deps: EngineCallsDeps): EngineCalls {
  const { driver, clock, log, now, caused, settled } = deps
  const creating = new Set<string>()
  const cancels = new Map<string, AbortController>()
  const removing = new Set<string>()
  const created = new Set<string>()
  /** When a removal failed, by the monotonic clock. */
  const failedAt = new Map<string, number>()
  /** How many are being started, by tenant. */
  const creates = new Map<string, number>()
  const underWay = new Set<Promise<void>>()

  function start(name: string, names: Set<string>, work: () => Promise<void>): void {
    names.add(name)
    const run: Promise<void> = work()
      .catch(error => log.error('instance.call_failed', { replica: name, error }))
      .finally(() => {
        names.delete(name)
        underWay.delete(run)
        settled()
      })
    underWay.add(run)
  }

  async function tryCreate(instance: InstanceRecord, slot: Slot, name: string, signal: AbortSignal): Promise<void> {
    const { generation } = slot
    const cancel = new AbortController()
    cancels.set(name, cancel)
    let told = -1
    const onPull = (progress: PullProgress) => {
      const quarters = Math.floor((4 * progress.doneBytes) / Math.max(1, progress.totalBytes))
      if (quarters <= told) return
      told = quarters
      void caused(instance, { kind: 'pull', generation, progress, now: now() }).catch(() => {})
    }
    try {
      const creating = driver.create(specOf(deps, instance, slot, name), { signal, cancelled: cancel.signal, onPull })
      await within(engineSpan(spans.startReplica, instance, name), creating)
      created.add(name)
    } catch (error) {
      if (signal.aborted || cancel.signal.aborted) return
      const fault = error instanceof DriverFault ? error : unexpected
      // Only the log says more than this reason does.
      if (fault.reason === 'engine_error') log.error('instance.create_failed', { ...idsOf(instance), error })
      await caused(instance, { kind: 'refuse', generation, fault, now: now() })
    } finally {
      cancels.delete(name)
    }
  }

  async function tryRemove(replica: ObservedReplica, signal: AbortSignal, of: InstanceRecord | undefined) {
    const { name } = replica
    try {
      await within(of && engineSpan(spans.removeReplica, of, name), removal(driver, replica, signal))
      created.delete(name)
      failedAt.delete(name)
    } catch (error) {
      if (signal.aborted) return
      failedAt.set(name, clock.monotonic())
      log.warn('instance.remove_failed', {
        instance: replica.instance,
        replica: name,
        ...traceIds(of?.traceparent),
        error,
      })
    }
  }

  return {
    create(instance, slot, signal) {
      const name = replicaName(instance.id, slot)
      const { tenant } = instance
      const others = creates.get(tenant) ?? 0
      if (creating.has(name) || removing.has(name) || others >= CREATES_OF_TENANT) return false
      creates.set(tenant, others + 1)
      start(name, creating, () =>
        tryCreate(instance, slot, name, ownSignal(signal)).finally(() =>
          creates.set(tenant, (creates.get(tenant) ?? 1) - 1),
        ),
      )
      return true
    },
    cancel: name => cancels.get(name)?.abort(),
    remove(replica, signal, of) {
      const { name } = replica
      if (creating.has(name) || removing.has(name)) return
      if (clock.monotonic() - (failedAt.get(name) ?? Number.NEGATIVE_INFINITY) < RETRY_MS) return
      start(name, removing, () => tryRemove(replica, ownSignal(signal), of))
    },
    creating: () => new Set(creating),
    hasCreated: name => created.has(name),
    async close() {
      await Promise.all(underWay)
    },
  }
}

const removal = (driver: Driver, replica: ObservedReplica, signal: AbortSignal): Promise<void> =>
  replica.state === 'running' && driver.stop !== undefined
    ? driver.stop(replica, signal)
    : driver.remove(replica, signal)

const idsOf = ({ id, traceparent }: InstanceRecord) => ({ instance: id, ...traceIds(traceparent) })

/** Of thousands of listeners of one signal each addition looks at all. */
const ownSignal = (signal: AbortSignal): AbortSignal => AbortSignal.any([signal])

const unexpected = new DriverFault('engine_error', 'The container engine refused to run a replica.')

function specOf(
  { cipher, executors }: Pick<EngineCallsDeps, 'cipher' | 'executors'>,
  instance: InstanceRecord,
  slot: Slot,
  name: string,
): ReplicaSpec {
  const { id, tenant, gpu, image, command, ports, volume_gb } = instance
  const { env, registry }: Secrets =
    instance.secrets === undefined ? { env: {} } : JSON.parse(cipher.open(instance.secrets, sealedFor(instance)))
  return {
    ...{ name, tenant, instance: id, index: slot.index, generation: slot.generation, gpu, image, env },
    ports: ports.map(port => ({ port })),
    ...(command.length > 0 && { command }),
    ...(volume_gb !== undefined && { volumeGb: volume_gb }),
    ...(registry !== undefined && { registryCredential: registry }),
    ...(isExecutor(executors, instance) && {
      env: executorEnv(cipher, executors, { tenant, instance: id, generation: slot.generation }),
      isExecutor: true,
    }),
  }
}
