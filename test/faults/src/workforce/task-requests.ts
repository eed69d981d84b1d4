/** What clients ask for: employees' work of three sorts, beside tasks of compute. */
import type { TaskRequest } from '../clients.ts'
import type { Random } from '../random.ts'
import { digitRequest } from '../task-requests.ts'

const WORK = 0.55

/** Everything that a client can ask for, in a seeded mixture. */
export function anyWork(random: Random): TaskRequest {
  const { next, between } = random
  const chosen = next()
  const act = chosen < 0.1 ? 'cancel' : chosen < 0.4 ? 'look' : 'leave'
  const how = { act, pauseMs: next() < 0.5 ? 0 : between(1, 800) } as const
  if (next() >= WORK) return digitRequest(random, { task: { max_attempts: 10 }, ...how })
  const sort = next()
  const { answer, ...asked } = sort < 0.75 ? review(random) : sort < 0.9 ? picture(random) : prediction(random)
  return { create: { ...asked, metadata: { client: String(between(1, 99)) } }, answer, ...how }
}

/** Some milliseconds of work, with an answer that is known: how many texts it is of. */
function review({ between }: Random) {
  const texts = Array.from({ length: between(1, 9) }, (_, at) => `Number ${at} is not bad at all for the price.`)
  return { employee: 'emma', task: 'sentiment_analysis', input: { texts }, answer: texts.length }
}

/** One that leaves files. */
function picture({ between }: Random) {
  const input = { picture: 'social_card', title: `Field notes, number ${between(1, 999)}` }
  return { employee: 'sarah', task: 'create_image', input, answer: undefined }
}

/** Half a second of work, long enough to be interrupted. */
function prediction({ between }: Random) {
  const values = Array.from({ length: 700 }, () => between(1, 1_000))
  const series = Array.from({ length: 4 }, () => ({ values }))
  return { employee: 'david', task: 'forecast', input: { horizon: 24, season_length: 24, series }, answer: undefined }
}
