/**
 * Makes what runs what is desired, for the instances of one mode on one driver. The owner of the service has one for each
 * driver, and what it does is one pass after the other: docs/decisions/instances.md
 */
import type { KeyMode, SecretCipher } from '@millhand/api'
import { type Clock, createWakeUp, type WakeUp } from '@millhand/process'
import type { Collection } from '@millhand/store'
import type { Log } from '@millhand/telemetry'
import { type Admission, admit, type Share, waitingIndexes } from './admission.ts'
import type { Driver, ObservedReplica } from './drivers/driver.ts'
import { createEngineCalls, type EngineCalls } from './engine-calls.ts'
import type { ExecutorImage } from './executors.ts'
import { gapOf, retryAt } from './gap.ts'
import { type InstanceRecord, replicaName, restoredReplicas } from './instance.ts'
import { changeInstance, type InstanceStoreDeps, writeTransition } from './instance-store.ts'
import { ObservationTimes, type ObservedAt } from './observation-times.ts'
import { observeReconciler } from './reconciler-metrics.ts'
import type { Sighting } from './slot.ts'
import { createSteadyClock } from './steady-clock.ts'
import { type Cause, type Transition, transition } from './transition.ts'
import { endsOfVanished } from './vanished.ts'

/** Replicas by their instance. */
type Seen = ReadonlyMap<string, readonly ObservedReplica[]>

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
const PAGE = 1_000
const WRITES_AT_ONCE = 200

export class Reconciler {
  readonly #deps: ReconcilerDeps
  readonly #now: () => number
  readonly #wakeUp: WakeUp
  readonly #engine: EngineCalls
  /** Those with work to be done, as they were last read or written. */
  readonly #open = new Map<string, InstanceRecord>()
  /** The newest instance of each account, for it has the latest plan. */
  readonly #newest = new Map<string, Pick<InstanceRecord, 'id' | 'plan'>>()
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
    this.#times = new ObservationTimes(deps)
    this.#wakeUp = createWakeUp(deps.clock)
    this.#engine = createEngineCalls({
      ...deps,
      now: this.#now,
      settled: () => this.wake(),
      caused: async (instance, cause) =>
        void this.#keep(await changeInstance(deps, instance.tenant, instance.id, cause)),
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
      await this.pass(signal).catch(error => {
        if (!signal.aborted) log.error('instance.pass_failed', { mode, error })
      })
      await clock.sleep(PASS_MS, signal).catch(() => {})
      await this.#wakeUp.wait(LOOK_MS, signal)
    }
    await this.#engine.close()
  }

  /** One pass. Where nothing has happened it asks the store once, and the engine only every so often. */
  async pass(signal: AbortSignal): Promise<void> {
    if (!this.#isLoaded) await this.#load()
    const isAsked = await this.#takeRequested()
    const now = this.#now()
    const { latest } = this.#times
    const isLate = latest === undefined || now - latest >= IDLE_MS || now >= this.#nextAt
    if (!isAsked && !this.#isDue && !isLate) return
    this.#isDue = false
    const known = new Map(this.#open)
    const { seen, sighting } = await this.#observe(signal)
    await this.#adopt(seen, signal)
    // A record that was read meanwhile may be newer than the observation: the next pass has one for it.
    await this.#applyAll(instance => {
      const { id } = instance
      if (known.get(id) !== instance) {
        this.wake()
        return void this.#times.missed(id)
      }
      const before = this.#times.behind(id)
      const own = before === undefined ? sighting : { ...sighting, before }
      return { kind: 'observe', seen: seen.get(id) ?? [], sighting: own }
    })
    this.#times.advance(sighting.askedAt)
    await this.#admit(seen, sighting, signal)
    await this.#close(seen, signal)
  }

  async #load(): Promise<void> {
    await this.#times.load(this.#now())
    await this.#read('open', instance => void this.#keep(instance))
    this.#deps.driver.restore?.([...this.#open.values()].flatMap(restoredReplicas))
    this.#isLoaded = true
    this.#isDue = true
  }

  async #takeRequested(): Promise<boolean> {
    let isAsked = false
    await this.#read('requested', instance => {
      isAsked = true
      this.#keep(instance)
    })
    return isAsked
  }

  async #read(index: 'open' | 'requested', take: (instance: InstanceRecord) => void): Promise<void> {
    const { instances, mode } = this.#deps
    let after: string[] | undefined
    for (;;) {
      const page = await instances.find(index, { equals: [], limit: PAGE, ...(after && { after }) })
      for (const instance of page) if (instance.mode === mode) take(instance)
      const last = page.at(-1)
      if (last === undefined || page.length < PAGE) return
      after = [last.tenant, last.id]
    }
  }

  async #observe(signal: AbortSignal): Promise<{ readonly seen: Seen; readonly sighting: Sighting }> {
    const creating = this.#engine.creating()
    const askedAt = this.#now()
    // What a driver tells first may have happened at any time since the last observation, which another owner made.
    const isPrompt = this.#isPrompted && this.#hasObserved
    this.#isPrompted = false
    const { driver } = this.#deps
    const observation = await driver.list(signal)
    const seen = Map.groupBy(observation.replicas, ({ instance }) => instance)
    const now = this.#now()
    const ends = await endsOfVanished(driver, this.#open.values(), seen, observation, signal)
    const sighting = {
      ...{ askedAt, now, isPrompt, ends, creating },
      before: this.#times.latest ?? askedAt,
      lostHosts: new Set(observation.lostHosts),
    }
    this.#hasObserved = true
    return { seen, sighting }
  }

  /** Replicas that no record here can have started: it is read again, and only where it is over or not there they go. */
  async #adopt(seen: Seen, signal: AbortSignal): Promise<void> {
    for (const [id, replicas] of seen) {
      const [first] = replicas
      if (first === undefined || this.#hasStarted(id, replicas)) continue
      const instance = await this.#deps.instances.get(first.tenant, id)
      if (instance === undefined || instance.work === 'done')
        for (const replica of replicas) this.#engine.remove(replica, signal)
      else if (this.#keep(instance)) this.wake()
    }
  }

  /** Another owner may have started more than the record here knows of. */
  #hasStarted(id: string, replicas: readonly ObservedReplica[]): boolean {
    const known = this.#open.get(id)
    return known !== undefined && replicas.every(({ generation }) => generation <= known.last_generation)
  }

  async #applyAll(causeOf: (instance: InstanceRecord) => Cause | undefined): Promise<void> {
    const { retentionMs } = this.#deps
    let writes: Promise<void>[] = []
    for (const instance of [...this.#open.values()]) {
      const cause = causeOf(instance)
      if (cause === undefined) continue
      const after = transition(instance, cause, retentionMs)
      if (after.instance === instance) {
        if (cause.kind === 'observe') this.#times.applied(instance.id)
        continue
      }
      writes.push(this.#write(instance, after, cause))
      if (writes.length < WRITES_AT_ONCE) continue
      await Promise.all(writes)
      writes = []
    }
    await Promise.all(writes)
  }

  /** What another has changed meanwhile is left for the next pass: this observation may be older than the change. */
  async #write(before: InstanceRecord, change: Transition, { kind }: Cause): Promise<void> {
    const written = await writeTransition(this.#deps, before, change)
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
    this.#open.delete(id)
    this.#times.applied(id)
  }

  async #admit(seen: Seen, { lostHosts }: Sighting, signal: AbortSignal): Promise<void> {
    const now = this.#now()
    const waiting = [...this.#open.values()].flatMap(instance => {
      const indexes = waitingIndexes(instance, now)
      if (indexes.length === 0 || this.#times.behind(instance.id) !== undefined) return []
      return [{ ...instance, instance: instance.id, indexes }]
    })
    if (waiting.length === 0) return
    // A host that is back by now may have what was started there: the next observation says so.
    const capacity = await this.#deps.driver.capacity(signal, lostHosts)
    const free = new Map(capacity.map(({ gpu, free }) => [gpu, free]))
    const held = new Map<string, number>()
    for (const { id, tenant, gpu, slots } of this.#open.values()) {
      const there = new Set(seen.get(id)?.map(({ generation }) => generation))
      for (const { state, generation } of slots) {
        if (state === 'pending' || state === 'exited') continue
        held.set(tenant, (held.get(tenant) ?? 0) + 1)
        if (state === 'starting' && !there.has(generation)) free.set(gpu, Math.max(0, (free.get(gpu) ?? 0) - 1))
      }
    }
    waiting.sort((a, b) => a.created_at - b.created_at)
    const share = (tenant: string) => this.#deps.share(this.#newest.get(tenant)?.plan ?? '')
    const admitted: Map<string, Admission> = admit({ waiting, free, held, share })
    await this.#applyAll(({ id }) => {
      const admission = admitted.get(id)
      return admission && { kind: 'admit', ...admission, now }
    })
  }

  /** Asks the engine for what is missing, and for the end of what is too much, and forgets what is over. */
  async #close(seen: Seen, signal: AbortSignal): Promise<void> {
    const now = this.#now()
    const remove: ObservedReplica[] = []
    this.#nextAt = Number.POSITIVE_INFINITY
    for (const instance of [...this.#open.values()]) {
      if (instance.work === 'done') {
        this.#forget(instance.id)
        continue
      }
      // Its record lacks what was seen, and so what ran: the next pass acts on it.
      if (this.#times.behind(instance.id) !== undefined) continue
      const gap = gapOf(instance, seen.get(instance.id) ?? [], this.#engine.hasCreated, now)
      for (const slot of gap.create) this.#engine.create(instance, slot, signal)
      remove.push(...gap.remove)
      for (const slot of gap.cancel) this.#engine.cancel(replicaName(instance.id, slot))
      for (const slot of instance.slots) this.#nextAt = Math.min(this.#nextAt, retryAt(slot))
      if (instance.expires_at !== undefined && instance.ending === undefined)
        this.#nextAt = Math.min(this.#nextAt, instance.expires_at)
    }
    // Before anything is removed, and once in a while.
    if (remove.length > 0 || (this.#open.size > 0 && this.#times.isNoteOlder(IDLE_MS))) await this.#times.note()
    for (const replica of remove) this.#engine.remove(replica, signal)
  }

  /** Takes up an instance; false where this version of it, or a later one, is known. */
  #keep(instance: InstanceRecord | undefined): boolean {
    if (instance === undefined) return false
    const known = this.#open.get(instance.id)
    if (known !== undefined && known.version >= instance.version) return false
    this.#open.set(instance.id, instance)
    if (known === undefined && this.#isLoaded) this.#times.taken(instance.id)
    const { id, tenant, plan } = instance
    if ((this.#newest.get(tenant)?.id ?? '') <= id) this.#newest.set(tenant, { id, plan })
    return true
  }
}
