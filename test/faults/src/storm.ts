/** The faults of a schedule, step after step, and how soon the system serves again after each. */
import { setTimeout as pause } from 'node:timers/promises'
import { createInjector } from './fault-injection.ts'
import type { Moment } from './figures.ts'
import { type Fault, type Step, wordsOf } from './schedule.ts'
import type { System } from './system.ts'

export interface StormOptions {
  readonly system: System
  readonly steps: readonly Step[]
  /** Hears before each step how much of the whole is over, 0 to 1. */
  readonly onStep: (share: number) => void
  /** Resolves with the milliseconds until a task that is created now has succeeded. */
  readonly recovered: () => Promise<number>
  /** Hears of what should have come to pass and has not; the storm goes on. */
  readonly onFailure: (words: string) => void
  readonly tell: (line: string) => void
}

/** Resolves when every fault is over, with those that were done. */
export async function storm(options: StormOptions): Promise<Moment[]> {
  const { system, steps, onStep, recovered, onFailure, tell } = options
  const inject = createInjector(system)
  const moments: Moment[] = []

  const orFailure = <T>(doing: Promise<T>): Promise<T | undefined> =>
    doing.catch((error: Error) => void onFailure(error.message))

  const done = async (fault: Fault): Promise<Moment | undefined> => {
    const injected = await orFailure(inject(fault))
    if (!injected) return undefined
    const moment = { fault, ...injected }
    moments.push(moment)
    return moment
  }

  /** Does the faults of a step, waits until they are over, and then until the system serves again. */
  const whole = async (faults: readonly Fault[]) => {
    const sinceBegan = orFailure(recovered())
    const injected = await Promise.all(faults.map(done))
    const backMs = (await orFailure(recovered())) ?? Number.POSITIVE_INFINITY
    const beganMs = (await sinceBegan) ?? Number.POSITIVE_INFINITY
    for (const moment of injected) if (moment) Object.assign(moment, { backMs, beganMs })
    const words = faults.map((fault, at) => `${wordsOf(fault)} (${injected[at]?.place})`).join(', and ')
    tell(
      `${words}: a task succeeded ${Math.round(beganMs)} ms after that began, ${Math.round(backMs)} ms after its end`,
    )
  }

  const going: Promise<unknown>[] = []
  for (const [at, { afterMs, faults, goesOn }] of steps.entries()) {
    onStep((at + 1) / (steps.length + 1))
    await pause(afterMs)
    if (goesOn) {
      going.push(...faults.map(done))
      tell(`${faults.map(wordsOf).join(', and ')}, from now on`)
    } else await whole(faults)
  }
  await Promise.all(going)
  return moments
}
