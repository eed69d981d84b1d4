/** The books of a storm: who asked, what the log holds, what came. */
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { readBodies, readTopics } from '../evidence.ts'
import { type System, webhooks } from '../system.ts'
import type { Customers } from './customers.ts'
import { type Books, type Happened, missing, type Window } from './deliveries.ts'
import type { Receivers } from './receivers.ts'
import type { Try } from './repeats.ts'
import { isSigned } from './signature.ts'
import { takeoversOf, tenuresOf } from './tenures.ts'

export interface BooksOptions {
  readonly system: System
  readonly customers: Customers
  readonly receivers: Receivers
  readonly windows: readonly Window[]
  /** How long what has to come is waited for. */
  readonly limitMs: number
  readonly tell: (line: string) => void
}

const TOPICS = ['millhand.tasks.v1', 'millhand.identity.v1', 'millhand.webhooks.v1']

/** Resolves once everything has come that has to, or the time for it is over. */
export async function closedBooks(options: BooksOptions): Promise<Books> {
  const { system, customers, receivers, windows, limitMs, tell } = options
  const deadline = performance.now() + limitMs
  const endpoints = customers.made.map(({ endpoint }) => endpoint)
  let events = await happened(system)
  for (;;) {
    for (let looks = 0; performance.now() < deadline; looks++) {
      const { length } = missing({ endpoints, events, arrivals: receivers.posts })
      if (length === 0) break
      if (looks % 5 === 0) tell(`${length} deliveries are still to come`)
      await pause(1_000)
    }
    const now = await happened(system)
    const isWhole = now.length === events.length || performance.now() > deadline
    events = now
    if (isWhole) break
  }
  const secrets = new Map(customers.made.map(({ endpoint, secret }) => [endpoint.path, secret]))
  const arrivals = receivers.posts.map(post => ({ ...post, isSigned: isSigned(post, secrets.get(post.path) ?? '') }))
  const logs = webhooks.map(name => readFileSync(system.members.get(name)?.logFile ?? '', 'utf8'))
  const takeovers = takeoversOf(logs.flatMap(tenuresOf))
  return { endpoints, events, arrivals, windows, takeovers, tries: await readTries(system, customers) }
}

/** The tries that the product has written down: of each delivery in their order. */
async function readTries({ database }: System, { made }: Customers): Promise<Try[]> {
  const pathOf = new Map(made.map(({ id, endpoint }) => [id, endpoint.path]))
  const rows = await readBodies(database, 'deliveries')
  return rows.flatMap(body => {
    const { endpoint, event_id: event, attempts } = JSON.parse(body)
    const path = pathOf.get(endpoint) ?? ''
    const tries: { at: number; status?: number }[] = attempts
    return tries.map(({ at, status }) => ({ path, event, at, isAnswered: status !== undefined }))
  })
}

/** What the log holds, each event once. */
async function happened({ brokers }: System): Promise<Happened[]> {
  const entries = await readTopics(brokers, TOPICS)
  const contents = new Map(entries.map(({ id, content }) => [id, content]))
  return Array.from(contents, ([id, value]) => {
    const { account_id, mode, type, created_at } = JSON.parse(value)
    return { id, tenant: `${account_id}/${mode}`, type, at: Date.parse(created_at), value }
  })
}
