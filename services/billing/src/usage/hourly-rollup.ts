/** Sums the hours, and removes the entries of those that have been summed long enough ago. */
import { type Clock, everyInterval } from '@millhand/process'
import { removeFound } from '@millhand/store'
import type { Log } from '@millhand/telemetry'
import { type Entries, entriesBetween } from './usage-entry.ts'
import {
  announced,
  closed,
  closing,
  HOUR_MS,
  type HourRecord,
  type Hours,
  hourId,
  hourOf,
  summed,
} from './usage-hour.ts'
import { addEntry, addSum, type Line, SumsByKey } from './usage-sum.ts'

export interface HourlyRollupDeps {
  readonly entries: Entries
  readonly hours: Hours
  readonly clock: Clock
  readonly log: Log
  /** How long entries are kept after their hour was summed, in milliseconds. */
  readonly keptMs: number
}

const EVERY_MS = 10_000
/** How many hours are worked at at once. */
const AT_ONCE = 20
/** The hour that is going on is summed in parts as large as this, so that no query has to read many entries. */
const PART = 1_000

export interface HourlyRollup {
  /** Hears that an hour has got entries. */
  counted(tenant: string, hour: number, entries: number): void
  /** Does what is due, once. Any number of processes may do so at once. */
  pass(signal: AbortSignal): Promise<void>
  /** The same again and again, until the signal ends. Never rejects. */
  run(signal: AbortSignal): Promise<void>
}

export function createHourlyRollup(deps: HourlyRollupDeps): HourlyRollup {
  const { hours, clock, log } = deps
  /** How many entries the hours that go on have got here since they were last summed. */
  const fresh = new Map<string, { readonly tenant: string; readonly hour: number; entries: number }>()

  async function workAt(hour: HourRecord, signal: AbortSignal): Promise<void> {
    try {
      if (hour.state === 'open') await sum(deps, hour)
      else await close(deps, hour, signal)
    } catch (error) {
      log.error('usage.hour_failed', { tenant: hour.tenant, hour: hour.id, error })
    }
  }

  async function partsOfBusyHours(signal: AbortSignal): Promise<void> {
    for (const [key, { tenant, hour, entries }] of fresh) {
      const isOver = hour + HOUR_MS <= clock.now()
      if (!isOver && entries < PART) continue
      fresh.delete(key)
      const record = isOver ? undefined : await hours.get(tenant, hourId(hour))
      if (record?.state === 'open') await workAt(record, signal)
    }
  }

  async function whatIsDue(signal: AbortSignal): Promise<void> {
    for (let after: readonly (number | string)[] = [0]; !signal.aborted; ) {
      const due = await hours.find('due', { equals: [], after, before: [clock.now() + 1], limit: AT_ONCE })
      await Promise.all(due.map(hour => workAt(hour, signal)))
      const last = due.at(-1)
      if (last?.due === undefined || due.length < AT_ONCE) return
      after = [last.due, last.tenant, last.id]
    }
  }

  async function pass(signal: AbortSignal): Promise<void> {
    await partsOfBusyHours(signal)
    await whatIsDue(signal)
  }

  return {
    counted(tenant, hour, entries) {
      if (hour < hourOf(clock.now())) return
      const key = `${tenant}/${hour}`
      const known = fresh.get(key)
      if (known === undefined) fresh.set(key, { tenant, hour, entries })
      else known.entries += entries
    },
    pass,
    run: signal =>
      everyInterval(clock, EVERY_MS, signal, () =>
        pass(signal).catch(error => log.error('usage.summing_failed', { error })),
      ),
  }
}

/** Gives way wherever another has changed the hour meanwhile: it is due again, or that one has done it. */
async function sum({ entries, hours, clock, keptMs }: HourlyRollupDeps, hour: HourRecord): Promise<void> {
  const reading = announced(hour, clock.now())
  if (reading === undefined) return
  const { version } = hour
  const told = await hours.write({ kind: 'replace', version, document: reading, events: [] })
  if (told.kind === 'conflict') return
  const lines = new Lines(reading.lines)
  for await (const page of entriesBetween(entries, hour.tenant, reading.summed_to, reading.announced_to))
    for (const entry of page) addEntry(lines.of(entry), entry)
  const document = summed(reading, lines.all(), clock.now(), keptMs)
  await hours.write({ kind: 'replace', version: told.version, document, events: [] })
}

async function close({ entries, hours }: HourlyRollupDeps, hour: HourRecord, signal: AbortSignal): Promise<void> {
  const { tenant, start } = hour
  let { version } = hour
  const last = closing(hour)
  if (hour.state === 'summed') {
    const told = await hours.write({ kind: 'replace', version, document: last, events: [] })
    if (told.kind === 'conflict') return
    version = told.version
  }
  const range = { equals: [tenant], after: [start - 1], before: [start + HOUR_MS] }
  await removeFound({ collection: entries, index: 'by_end', range }, signal)
  if (signal.aborted) return
  await hours.write({ kind: 'replace', version, document: closed(last), events: [] })
}

type Kind = Pick<Line, 'model' | 'type' | 'gpu_type'>

/** The sums of an hour that are being made, by model, type and GPU type. */
class Lines {
  readonly #sums = new SumsByKey<string>()
  readonly #kinds = new Map<string, Kind>()

  constructor(lines: readonly Line[]) {
    for (const line of lines) addSum(this.of(line), line)
  }

  of({ model, type, gpu_type }: Kind) {
    const key = JSON.stringify([model, type, gpu_type])
    if (!this.#kinds.has(key)) this.#kinds.set(key, { model, type, gpu_type })
    return this.#sums.at(key)
  }

  all(): Line[] {
    return [...this.#kinds].map(([key, kind]) => ({ ...kind, ...this.#sums.at(key) }))
  }
}
