/** Elects the replica of a service that does the background work of all of them, on MongoDB and Kafka. */
import type { KafkaEventLog, Topic } from '@millhand/eventlog/kafka'
import { createOwnership, type OwnerRecord, type Ownership, ownersSpec } from '@millhand/lease'
import { systemClock as clock, type Runner } from '@millhand/process'
import type { MongoDatabase } from '@millhand/store/mongo'
import type { Log, Metrics } from '@millhand/telemetry'
import type { ServiceName, services } from '../services.ts'

/** The services of the table that one replica at a time owns. */
export type OwnedService = {
  [Name in ServiceName]: (typeof services)[Name]['owned'] extends true ? Name : never
}[ServiceName]

export interface OwnedOptions {
  /** The service, for example `compute`. */
  readonly name: OwnedService
  /** Where other replicas reach this one. */
  readonly address: string
  /** How long the owner may be silent before another replica takes over, in milliseconds. */
  readonly leaseMs: number
  readonly db: MongoDatabase
  readonly events: KafkaEventLog
  /** What it writes: they are made where they are missing. */
  readonly topics: readonly Topic[]
  readonly metrics: Pick<Metrics, 'counter'>
  readonly runner: Runner
  readonly log: Log
}

/** Makes the topics, and does `work` whenever this replica is the owner: until the signal ends. */
export function runOwnerElection(options: OwnedOptions, work: (owning: AbortSignal) => Promise<void>): Ownership {
  const { name, address, leaseMs, db, events, topics, metrics, runner, log } = options
  const ended = metrics.counter('millhand_ownership_ended_total')
  const ownership = createOwnership({
    owners: db.collection<OwnerRecord, never>(ownersSpec),
    name,
    address,
    leaseMs,
    clock,
    onError: error => log.warn('ownership.failed', { error }),
    onEnded(reason, heldMs) {
      log[reason === 'stopped' ? 'info' : 'warn']('ownership.ended', { reason, held_s: Math.round(heldMs / 1_000) })
      ended({ service: name, reason })
    },
  })
  runner.run('topics', async signal => {
    await events.ensureTopics(topics, signal)
    log.info('topics.ready')
  })
  runner.run(name, async signal => {
    await db.prepare(signal)
    await ownership.run(signal, async owning => {
      log.info('ownership.begun')
      await work(owning)
    })
  })
  return ownership
}
