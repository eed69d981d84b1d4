/** What clients ask for: quick tasks for the most part, and some that run long enough to be interrupted. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from '@millhand/test-e2e/server'
import type { TaskRequest } from './clients.ts'
import type { Random } from './random.ts'

interface Digit {
  readonly digit: number
  readonly pixels: readonly number[]
}

export const digits: readonly Digit[] = JSON.parse(
  readFileSync(join(repository, 'test/fixtures/digits/digits.json'), 'utf8'),
)

/** A task of the model `digits`: some milliseconds of work, with an answer that is known. */
export function digitRequest(
  { between }: Random,
  more: Partial<TaskRequest> & { readonly task?: object } = {},
): TaskRequest {
  const { task, ...rest } = more
  const { digit, pixels } = digits[between(0, digits.length - 1)] as Digit
  const create = { type: 'inference', model: 'digits', input: JSON.stringify(pixels), ...task }
  return { create, answer: digit, pauseMs: 0, act: 'leave', ...rest }
}

/** Everything that a client can ask for, in a seeded mixture. Lost executors cost attempts: hardly any task has few. */
export function anyRequest(random: Random): TaskRequest {
  const { next, between } = random
  const chance = (share: number) => next() < share
  const isLong = chance(LONG)
  const task = {
    max_attempts: 10,
    ...(chance(0.3) && { priority: (['low', 'normal', 'high'] as const)[between(0, 2)] }),
    ...(chance(0.03) && { queue_timeout_s: between(1, 3) }),
    metadata: { client: String(between(1, 99)) },
  }
  const chosen = next()
  const act = chosen < 0.12 ? 'cancel' : chosen < 0.3 ? 'look' : 'leave'
  const how = {
    act,
    pauseMs: chance(0.5) ? 0 : between(1, isLong ? 800 : 60),
    ...(chance(0.15) && { prefer: `wait=${between(1, 3)}` }),
  } as const
  return isLong ? longRequest(between(300, 1_500), { task, ...how }) : digitRequest(random, { task, ...how })
}

const LONG = 0.012

/** A run that takes about `ms` of one processor core on a machine of 2026. */
export function longRequest(
  ms: number,
  { task, ...rest }: Pick<TaskRequest, 'act' | 'pauseMs'> & { readonly task: object },
): TaskRequest {
  const input = JSON.stringify({ iterations: { dtype: 'int64', shape: [1], data: [Math.round(ms * 600)] } })
  return { create: { type: 'inference', model: 'spin', input, ...task }, answer: undefined, ...rest }
}

/** A digit, whose sender mostly waits for its end, often has a key and sometimes cancels. */
export function waitingRequest(random: Random): TaskRequest {
  const { next, between } = random
  const key = next() < 0.4 ? `key ${between(0, 2 ** 31)} ${between(0, 2 ** 31)}` : undefined
  return digitRequest(random, {
    act: next() < 0.05 ? 'cancel' : 'leave',
    ...(next() < 0.8 && { prefer: `wait=${between(1, 10)}` }),
    ...(key !== undefined && { key, task: { metadata: { key } } }),
  })
}
