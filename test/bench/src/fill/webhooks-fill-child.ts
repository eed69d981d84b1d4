/** Fills a store with endpoints, with deliveries that wait for dead ones, and with events that nobody has read yet. */
import { setTimeout as sleep } from 'node:timers/promises'
import { answerQuestions } from '../child.ts'
import { type Dial, type Memory, memory, openWebhooks } from './webhooks-process.ts'

export interface Filling {
  readonly folder: string
  /** Of the receiver. */
  readonly port: number
  /** Endpoints that answer, all of the account `acct_well`. */
  readonly well: number
  /** The same of those that never answer, a hundred an account: `acct_dead0`, … */
  readonly dead: number
  /** The same of those that answer with 500: `acct_failing0`, … */
  readonly failing: number
  /** Deliveries that those have to begin with. */
  readonly backlog: number
  /** Events of the well account, which nobody has read yet. */
  readonly unread: number
}

/** Answers with what the deliveries that wait took of memory: they were taken in as all are, and none was tried. */
answerQuestions(async ({ folder, port, well, dead, failing, backlog, unread }: Filling): Promise<Memory> => {
  const webhooks = openWebhooks(folder, { post: (_, signal) => ended(signal) })
  const endpoints = async (kind: string, count: number, accountOf: (n: number) => string) => {
    for (let n = 0; n < count; n++) await webhooks.addEndpoint(accountOf(n), `http://127.0.0.1:${port}/${kind}/${n}`)
  }
  const happenAll = async (account: string, events: number) => {
    await Promise.all(Array.from({ length: events }, () => webhooks.happen(account)))
  }

  const hundred = (kind: string) => (n: number) => `acct_${kind}${Math.floor(n / 100)}`
  await endpoints('dead', dead, hundred('dead'))
  await endpoints('failing', failing, hundred('failing'))
  for (let n = 0; n < failing; n += 100) await happenAll(hundred('failing')(n), backlog / failing)
  const stopping = new AbortController()
  const running = webhooks.run(stopping.signal)
  while (webhooks.rows() < backlog) await sleep(20)
  const held = memory()
  stopping.abort()
  await running
  await endpoints('well', well, () => 'acct_well')
  await happenAll('acct_well', unread)
  await webhooks.close()
  return held
})

const ended = (signal: AbortSignal) =>
  new Promise<Awaited<ReturnType<Dial['post']>>>(resolve => {
    const failure = { kind: 'failed', code: 'aborted', message: '', ms: 0 } as const
    signal.addEventListener('abort', () => resolve(failure), { once: true })
  })
