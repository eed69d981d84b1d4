/** Customers' servers: one server with a path for each, which writes down what comes and answers as it was told to. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '@millhand/test-servers'
import type { Random } from '../random.ts'
import type { Manner } from './endpoints.ts'

export interface Post {
  readonly path: string
  /** `webhook-id`. */
  readonly event: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** When the last of it had come, in milliseconds since 1970. */
  readonly at: number
  isAccepted: boolean
}

export interface Receivers extends AsyncDisposable {
  /** Where an endpoint of that manner is, at a path of its own. */
  url(path: string, manner: Manner): string
  /** All that has come whole. */
  readonly posts: readonly Post[]
}

const FAILS = 0.3
const SLOW_MS = [1_500, 4_000] as const

/** Listens on 127.0.0.1. A flaky one fails at most `mostFailures` times for one event, so that its retries end in time. */
export async function startReceivers(random: Random, mostFailures: number): Promise<Receivers> {
  const posts: Post[] = []
  const manners = new Map<string, Manner>()
  const bodies = new Map<string, string>()
  const failures = new Map<string, number>()
  const nobody = await freePort()

  const accept = (post: Post, res: ServerResponse) => {
    res.once('finish', () => {
      post.isAccepted = true
    })
    res.writeHead(204).end()
  }
  const fails = ({ path, event }: Post): boolean => {
    const delivery = `${path} ${event}`
    const before = failures.get(delivery) ?? 0
    if (before >= mostFailures || random.next() >= FAILS) return false
    failures.set(delivery, before + 1)
    return true
  }
  const answer = async (post: Post, res: ServerResponse) => {
    switch (manners.get(post.path)) {
      case 'slow':
        await pause(random.between(...SLOW_MS), undefined, { ref: false })
        return accept(post, res)
      case 'flaky':
        return fails(post) ? res.writeHead(500).end('not now') : accept(post, res)
      case 'resetting':
        return res.socket?.resetAndDestroy()
      case 'redirecting':
        return res.writeHead(302, { location: `/redirected${post.path}` }).end()
      case 'silent':
        return
      default:
        return accept(post, res)
    }
  }
  const server = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('error', () => {}) // What does not come whole is no post.
    req.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      const body = bodies.get(text) ?? text // Each is kept once, however often it comes.
      bodies.set(body, body)
      const at = performance.timeOrigin + performance.now()
      const event = String(req.headers['webhook-id'])
      const post = { path: req.url ?? '', event, headers: req.headers, body, at, isAccepted: false }
      posts.push(post)
      void answer(post, res)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    posts,
    url(path, manner) {
      manners.set(path, manner)
      return `http://127.0.0.1:${manner === 'refusing' ? nobody : port}${path}`
    },
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
