/** Which faults a run has, in which order: all of it from the seed. */
import type { Random } from './random.ts'
import { type computes, executors, gateways, linkNames, type MemberName, type ServerName } from './system.ts'

/** Processes by name; those that have one owner by their part, since which of them has it is not known beforehand. */
export type Target =
  | Exclude<MemberName, (typeof computes)[number]>
  | 'owner'
  | 'other compute'
  | 'webhook owner'
  | 'other webhook'
  | ServerName

export type Fault =
  /** SIGKILL, and started again after `ms`. */
  | { readonly kind: 'kill'; readonly target: Target; readonly ms: number }
  /** SIGSTOP, and SIGCONT after `ms`. */
  | { readonly kind: 'pause'; readonly target: Target; readonly ms: number }
  /** An executor reaches no compute, and hears of none; what it said comes through after `ms`. */
  | { readonly kind: 'isolate'; readonly target: (typeof executors)[number]; readonly ms: number }
  | { readonly kind: 'cut' | 'hold'; readonly link: string; readonly ms: number }
  | { readonly kind: 'delay'; readonly link: string; readonly ms: number; readonly byMs: number }
  /** The calendar's clock is set ahead by so much, or back, and set right after `ms`. */
  | { readonly kind: 'clock'; readonly target: Target; readonly ms: number; readonly aheadMs: number }
  /** Its files can't grow for `ms`; then it is started again on a disk with room. */
  | { readonly kind: 'full disk'; readonly target: ServerName; readonly ms: number }

export interface Step {
  /** Milliseconds between the end of the step before and this one. */
  readonly afterMs: number
  /** They begin together. */
  readonly faults: readonly Fault[]
  /** The next step does not wait for the end of these. */
  readonly goesOn: boolean
}

export const FAULTS_A_RUN = 17

/** Longer than an owner's lease of 5 s lasts, longer than an executor's. */
const BEYOND_OWNERSHIP_MS = 6_000
const BEYOND_LEASE_MS = 11_500

/**
 * 17 faults. Every run kills one process of each kind, pauses one and isolates another beyond its lease, pauses one
 * beyond the ownership of the queues, breaks the network three times in three ways, sets a clock and fills a disk.
 */
export function schedule(random: Random): Step[] {
  const { between } = random
  const one = <T>(list: readonly T[]): T => list[between(0, list.length - 1)] as T
  const [paused, isolated] = shuffled(executors, random) as [(typeof executors)[number], (typeof executors)[number]]
  const long: Fault[] = [
    { kind: 'pause', target: one<Target>([paused, paused, 'owner', 'other compute']), ms: BEYOND_LEASE_MS },
    { kind: 'isolate', target: isolated, ms: BEYOND_LEASE_MS },
  ]
  const faults: Fault[] = [
    ...kills(random).map(target => ({ kind: 'kill', target, ms: one(awayMs(target, random)) }) as const),
    { kind: 'pause', target: one(['owner', 'owner', 'kafka', 'mongo']), ms: BEYOND_OWNERSHIP_MS },
    {
      kind: 'pause',
      target: one<Target>([...gateways, 'identity', 'owner', 'kafka', 'mongo']),
      ms: between(200, 1_500),
    },
    { kind: 'cut', link: one(linkNames), ms: between(200, 3_000) },
    { kind: 'hold', link: one(linkNames), ms: between(1_000, 5_000) },
    { kind: 'delay', link: one(linkNames), ms: between(1_000, 4_000), byMs: between(20, 400) },
    {
      kind: 'clock',
      target: one<Target>(['owner', 'owner', 'other compute', ...executors, ...gateways, 'identity']),
      ms: between(1_000, 4_000),
      aheadMs: one([-1, 1]) * between(1_000, 60_000),
    },
    { kind: 'full disk', target: one(['kafka', 'mongo']), ms: between(500, 2_000) },
  ]
  const steps = inSteps(shuffled(faults, random), random)
  for (const fault of long) steps.splice(between(1, 5), 0, { afterMs: 0, faults: [fault], goesOn: true })
  return steps
}

/** Servers may be away for longer than any call waits for them. */
function awayMs(target: Target, { between }: Random): number[] {
  const short = [0, 0, between(100, 2_500)]
  return target === 'kafka' || target === 'mongo' ? [...short, between(6_000, 9_000)] : short
}

/** One of each kind of process, and both parts of compute in turns. */
function kills({ between }: Random): Target[] {
  const one = <T>(list: readonly T[]): T => list[between(0, list.length - 1)] as T
  return [
    one(gateways),
    'identity',
    'billing',
    'batch',
    one(['owner', 'owner', 'other compute']),
    one(executors),
    'kafka',
    'mongo',
  ]
}

/** One at a time for the most part, and some two at once, of different processes. */
function inSteps(faults: readonly Fault[], { next, between }: Random): Step[] {
  const steps: Step[] = []
  const left = [...faults]
  for (let fault = left.shift(); fault; fault = left.shift()) {
    const together = [fault]
    const other = left[0]
    if (other && next() < 0.3 && placeOf(other) !== placeOf(fault)) together.push(left.shift() as Fault)
    steps.push({ afterMs: between(50, 600), faults: together, goesOn: false })
  }
  return steps
}

const placeOf = (fault: Fault): string => ('link' in fault ? fault.link : fault.target)

export function shuffled<T>(list: readonly T[], { between }: Random): T[] {
  const left = [...list]
  return list.map(() => left.splice(between(0, left.length - 1), 1)[0] as T)
}

/** A fault in words. */
export function wordsOf(fault: Fault): string {
  const place = placeOf(fault)
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
  switch (fault.kind) {
    case 'kill':
      return `kill ${place}, back after ${seconds(fault.ms)}`
    case 'delay':
      return `delay ${place} by ${fault.byMs} ms for ${seconds(fault.ms)}`
    case 'clock':
      return `set the clock of ${place} ${seconds(fault.aheadMs)} ahead for ${seconds(fault.ms)}`
    default:
      return `${fault.kind} ${place} for ${seconds(fault.ms)}`
  }
}
