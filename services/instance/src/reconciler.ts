/**
 * Makes what runs what is desired, for the instances of one mode on one driver. The owner of the service has one for each
 * driver, and what it does is one pass after the other: docs/decisions/instances.md
 */
import type { KeyMode, SecretCipher } from '@millhand/api'
import { type Clock, createWakeUp, type WakeUp } from '@millhand/process'
import type { Collection } from '@millhand/store'
import { type Log, within } from '@millhand/telemetry'
import { type Admission, admit, occupancy, type Share, waitingIndexes } from './admission.ts'
import type { Driver, ObservedReplica } from './drivers/driver.ts'
import { createEngineCalls, type EngineCalls } from './engine-calls.ts'
import type { ExecutorImage } from './executors.ts'
import { gapOf, retryAt } from './gap.ts'
import { type InstanceRecord, replicaName, restoredReplicas } from './instance.ts'
import { InstancePages } from './instance-pages.ts'
import { changeInstance, type InstanceStoreDeps, writeTransition } from './instance-store.ts'
import { stepSpan } from './instance-trace.ts'
import { ObservationTimes, type ObservedAt } from './observation-times.ts'
import { OpenInstances } from './open-instances.ts'
import { observeReconciler } from './reconciler-metrics.ts'
import { createGrouping, type ReplicasByInstance } from './replicas-by-instance.ts'
import { isAtRest } from './rest.ts'
import type { Sighting } from './slot.ts'
import { createSteadyClock } from './steady-clock.ts'
import { type Cause, type Transition, transition } from './transition.ts'
import { endsOfVanished } from './vanished.ts'

export interface ReconcilerDeps extends InstanceStoreDeps {
  readonly mode: KeyMode
  readonly driver: Driver
  readonly observedAt: Collection<ObservedAt>
  readonly cipher: SecretCipher
  readonly executors?: ExecutorImage | undefined
  /** Of an account with this compute plan. */
  readonly share: (plan: string) => Share
  readonly clock: Clock
  readonly log: Log
}

/** Between two passes: at least; between two looks for what other replicas have changed; and at most. */
const PASS_MS = 20
const LOOK_MS = 500
const IDLE_MS = 5_000
const WRITES_AT_ONCE = 200
/** The most instances that each step of a pass changes: the next pass, which comes at once, goes on. */
const CHANGES_OF_STEP = 1_000

export class Reconciler {
  readonly #deps: ReconcilerDeps
  readonly #now: () => number
  readonly #wakeUp: WakeUp
  readonly #engine: EngineCalls
  readonly #pages: InstancePages
  readonly #open = new OpenInstances()
  readonly #group = createGrouping()
  #isLoaded = false
  readonly #times: ObservationTimes
  #hasObserved = false
  #isPrompted = false
  #isDue = true
  /** By the steady clock: when something is to be tried again. */
  #nextAt = Number.POSITIVE_INFINITY

  constructor(deps: ReconcilerDeps) {
    this.#deps = deps
    this.#now = createSteadyClock(deps.clock)
    this.#pages = new InstancePages(deps)
    this.#times = new ObservationTimes(deps)
    this.#wakeUp = createWakeUp(deps.clock)
    this.#engine = createEngineCalls({
      ...deps,
      now: this.#now,
      settled: () => this.wake(),
      caused: async (instance, cause) => {
        const changed = await changeInstance(deps, instance.tenant, instance.id, cause)
        if (changed !== undefined) this.#keep(changed)
      },
    })
  }

  /** Makes the next pass come at once. */
  wake(): void {
    this.#isDue = true
    this.#wakeUp.wake()
  }

  /** Hears that something may have changed in the engine just now. */
  engineChanged(): void {
    this.#isPrompted = true
    this.wake()
  }

  /** Passes, until the signal ends; then it waits for the calls that are under way. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log, driver, mode } = this.#deps
    using _ = driver.watch(() => this.engineChanged())
    using _metrics = observeReconciler(mode, this.#open, this.#times, this.#now)
    while (!signal.aborted) {
      let pauseMs = PASS_MS
      await this.pass(signal).catch(error => {
        if (!signal.aborted) log.error('instance.pass_failed', { mode, error })
        this.#isDue = true
        pauseMs = LOOK_MS // The engine or the store is away.
      })
      await clock.sleep(pauseMs, signal).catch(() => {})
      await this.#wakeUp.wait(LOOK_MS, signal)
    }
    await this.#engine.close()
  }

  /** One pass. Where nothing has happened it asks the store once, and the engine only every so often. */
  async pass(signal: AbortSignal): Promise<void> {
    if (!this.#isLoaded) await this.#load()
    const isAsked = await this.#takeChanged()
    const now = this.#now()
    const { latest = Number.NEGATIVE_INFINITY } = this.#times
    const isLate = now - latest >= IDLE_MS || now >= this.#nextAt
    if (!isAsked && !this.#isDue && !isLate) return
    this.#isDue = false
    this.#open.beginObservation()
    const { seen, ...observed } = await this.#observe(signal)
    await this.#adopt(seen, signal)
    const moving = this.#moving(seen, observed)
    const records = moving.flatMap(id => this.#open.get(id) ?? [])
    const ends = await endsOfVanished(this.#deps.driver, records, seen, observed.lostHosts, signal)
    const sighting = { ...observed, ends }
    // A record that was read meanwhile may be newer than the observation: the next pass has one for it.
    await this.#applyAll(moving, instance => {
      const { id } = instance
      if (this.#open.hasChanged(id)) return void this.#miss(id)
      const before = this.#times.behind(id)
      const own = before === undefined ? sighting : { ...sighting, before }
      return { kind: 'observe', seen: seen.get(id) ?? none, sighting: own }
    })
    this.#times.advance(sighting.askedAt)
    await this.#admit(moving, seen, sighting, signal)
    await this.#close(moving, seen, signal)
  }

  /** The ids of all that are not at rest; first those whose records lack what was seen before, by how long they have. */
  #moving(seen: ReplicasByInstance, sighting: Omit<Sighting, 'ends'>): readonly string[] {
    const others: string[] = []
    for (const instance of this.#open.values()) {
      const { id } = instance
      if (isAtRest(instance, seen.get(id) ?? none, sighting) && !this.#open.hasChanged(id)) this.#times.applied(id)
      else if (this.#times.behind(id) === undefined) others.push(id)
    }
    return [...this.#times.allBehind(), ...others]
  }

  async #load(): Promise<void> {
    await this.#times.load(this.#now())
    for await (const instance of this.#pages.open()) this.#open.keep(instance)
    this.#deps.driver.restore?.([...this.#open.values()].flatMap(restoredReplicas))
    this.#isLoaded = true
    this.#isDue = true
  }

  async #takeChanged(): Promise<boolean> {
    const { instances, isAll } = await this.#pages.changed()
    for (const instance of instances) this.#keep(instance)
    if (instances.length > 0 && !isAll) this.#wakeUp.wake()
    return instances.length > 0
  }

  async #observe(signal: AbortSignal): Promise<Omit<Sighting, 'ends'> & { readonly seen: ReplicasByInstance }> {
    const creating = this.#engine.creating()
    const askedAt = this.#now()
    // What a driver tells first may have happened at any time since the last observation, which another owner made.
    const isPrompt = this.#isPrompted && this.#hasObserved
    this.#isPrompted = false
    const { driver } = this.#deps
    const { replicas, lostHosts } = await driver.list(signal)
    this.#hasObserved = true
    return {
      ...{ askedAt, now: this.#now(), isPrompt, creating },
      before: this.#times.latest ?? askedAt,
      lostHosts: new Set(lostHosts),
      seen: this.#group(replicas),
    }
  }

  /** Replicas that no record here can have started: it is read again, and only where it is over or not there they go. */
  async #adopt(seen: ReplicasByInstance, signal: AbortSignal): Promise<void> {
    for (const replicas of seen.values()) {
      const first = replicas[0]
      if (first === undefined || this.#open.hasStarted(first.instance, replicas)) continue
      const id = first.instance
      const instance = await this.#deps.instances.get(first.tenant, id)
      if (instance === undefined || instance.work === 'done')
        for (const replica of replicas) this.#engine.remove(replica, signal)
      else if (this.#keep(instance)) this.wake()
    }
  }

  async #applyAll(ids: readonly string[], causeOf: (instance: InstanceRecord) => Cause | undefined): Promise<void> {
    let writes: Promise<void>[] = []
    let changes = 0
    for (const id of ids) {
      const instance = this.#open.get(id)
      const cause = instance && causeOf(instance)
      if (instance === undefined || cause === undefined) continue
      const after = transition(instance, cause, this.#deps.retentionMs)
      if (after.instance === instance) {
        if (cause.kind === 'observe') this.#times.applied(id)
      } else if (changes++ < CHANGES_OF_STEP) writes.push(this.#write(instance, after, cause))
      else if (cause.kind === 'observe') this.#miss(id)
      else this.wake()
      if (writes.length < WRITES_AT_ONCE) continue
      await Promise.all(writes)
      writes = []
    }
    await Promise.all(writes)
  }

  /** What was seen of an instance is not in its record: the next pass, which comes at once, looks again. */
  #miss(id: string): void {
    this.#times.missed(id)
    this.wake()
  }

  /** What another has changed meanwhile is left for the next pass: this observation may be older than the change. */
  async #write(before: InstanceRecord, change: Transition, { kind }: Cause): Promise<void> {
    const written = await within(stepSpan(before, kind), writeTransition(this.#deps, before, change))
    if (kind === 'observe') {
      if (written === 'conflict') this.#times.missed(before.id)
      else this.#times.applied(before.id)
    }
    const after = written === 'conflict' ? await this.#deps.instances.get(before.tenant, before.id) : written
    if (after === undefined) this.#forget(before.id)
    else this.#keep(after)
    if (written === 'conflict') this.wake()
  }

  #forget(id: string): void {
    this.#open.forget(id)
    this.#times.applied(id)
  }

  async #admit(moving: readonly string[], seen: ReplicasByInstance, { lostHosts }: Sighting, signal: AbortSignal) {
    const now = this.#now()
    const waiting = moving.flatMap(id => {
      const instance = this.#times.behind(id) === undefined ? this.#open.get(id) : undefined
      if (instance === undefined) return []
      const { tenant, gpu, created_at } = instance
      const indexes = waitingIndexes(instance, now)
      return indexes.length === 0 ? [] : [{ instance: id, tenant, gpu, created_at, indexes }]
    })
    if (waiting.length === 0) return
    waiting.sort((a, b) => a.created_at - b.created_at)
    // A host that is back by now may have what was started there: the next observation says so.
    const capacity = await this.#deps.driver.capacity(signal, lostHosts)
    const { free, held } = occupancy(capacity, this.#open.values(), seen)
    const share = (tenant: string) => this.#deps.share(this.#open.planOf(tenant))
    const admitted: Map<string, Admission> = admit({ waiting, free, held, share })
    await this.#applyAll([...admitted.keys()], ({ id }) => {
      const admission = admitted.get(id)
      return admission && { kind: 'admit', ...admission, now }
    })
  }

  /** Asks the engine for what is missing, and for the end of what is too much, and forgets what is over. */
  async #close(moving: readonly string[], seen: ReplicasByInstance, signal: AbortSignal): Promise<void> {
    const now = this.#now()
    const remove: { readonly replica: ObservedReplica; readonly instance: InstanceRecord }[] = []
    let creates = 0
    this.#nextAt = Number.POSITIVE_INFINITY
    for (const { expires_at, ending } of this.#open.values())
      if (expires_at !== undefined && ending === undefined) this.#nextAt = Math.min(this.#nextAt, expires_at)
    for (const id of moving) {
      const instance = this.#open.get(id)
      if (instance?.work === 'done') this.#forget(id)
      // The record of one that is behind lacks what was seen, and so what ran: the next pass acts on it.
      if (instance === undefined || instance.work === 'done' || this.#times.behind(id) !== undefined) continue
      const gap = gapOf(instance, seen.get(id) ?? none, this.#engine.hasCreated, now)
      for (const slot of gap.create) {
        if (creates < CHANGES_OF_STEP) creates += this.#engine.create(instance, slot, signal) ? 1 : 0
        else this.wake()
      }
      for (const replica of gap.remove) remove.push({ replica, instance })
      for (const slot of gap.cancel) this.#engine.cancel(replicaName(id, slot))
      for (const slot of instance.slots) this.#nextAt = Math.min(this.#nextAt, retryAt(slot))
    }
    // Before anything is removed, and once in a while.
    if (remove.length > 0 || (this.#open.size > 0 && this.#times.isNoteOlder(IDLE_MS))) await this.#times.note()
    for (const { replica, instance } of remove) this.#engine.remove(replica, signal, instance)
  }

  /** Takes up an instance; false where this version of it, or a later one, is known. */
  #keep(instance: InstanceRecord): boolean {
    const isNew = this.#open.get(instance.id) === undefined
    const isTaken = this.#open.keep(instance)
    if (isNew) this.#times.taken(instance.id)
    return isTaken
  }
}

const none: readonly never[] = []
