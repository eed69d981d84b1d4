/** Webhooks on a store that another process has filled: how fast and how soon they are delivered, and in what memory. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createDialer, createResolver, parseRanges } from '@millhand/dial'
import { systemClock as clock } from '@millhand/process'
import { answerQuestions } from '../child.ts'
import { type Memory, memory, openWebhooks } from './webhooks-process.ts'

export interface Question {
  readonly folder: string
  /** How many answers there are to be. */
  readonly answers: number
  /** What happens meanwhile, in turns of the accounts. */
  readonly happening?: { readonly accounts: readonly string[]; readonly events: number; readonly perSecond: number }
  /** It goes on for as long at least. */
  readonly leastSeconds: number
}

export interface Answer extends Memory {
  /** From the beginning to the last answer. */
  readonly seconds: number
  /** From an event's write to each of its answers, in order: of what happens meanwhile. */
  readonly ms: readonly number[]
}

answerQuestions(async ({ folder, answers, happening, leastSeconds }: Question): Promise<Answer> => {
  const happenedAt = new Map<string, number>()
  const ms: number[] = []
  let answered = 0
  const dialer = createDialer({ allow: parseRanges('127.0.0.0/8'), resolver: createResolver({ clock }), clock })
  const webhooks = openWebhooks(folder, {
    async post(request, signal) {
      const answer = await dialer.post(request, signal)
      if (answer.kind === 'answered' && answer.status === 200) answered++
      const began = happenedAt.get(request.headers['webhook-id'] ?? '')
      if (answer.kind === 'answered' && began !== undefined) ms.push(performance.now() - began)
      return answer
    },
  })
  const stopping = new AbortController()
  const began = performance.now()
  const running = webhooks.run(stopping.signal)
  const { accounts, events, perSecond } = happening ?? { accounts: [''], events: 0, perSecond: 1 }
  for (let n = 0; n < events; n++) {
    const wait = began + (n * 1000) / perSecond - performance.now()
    if (wait > 1) await sleep(wait)
    void webhooks.happen(accounts[n % accounts.length] as string, id => happenedAt.set(id, performance.now()))
  }
  while (answered < answers) await sleep(20)
  const seconds = (performance.now() - began) / 1000
  await sleep(Math.max(0, (leastSeconds - seconds) * 1000))
  const held = memory()
  stopping.abort()
  await running
  await dialer.close()
  await webhooks.close()
  return { ...held, seconds, ms: ms.toSorted((a, b) => a - b) }
})
