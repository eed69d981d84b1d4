/** A customer's server that is posted to. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Wire } from './http.ts'

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** As it came. */
  readonly text: string
  readonly body: Wire
  /** When it had come, by `performance.now()`. */
  readonly at: number
}

export interface Receiver extends AsyncDisposable {
  url(path: string): string
  /** What came to a path, the oldest first. */
  at(path: string): readonly Received[]
  /** Resolves with the first that came to a path and is as it should be, once it is there. Fails after 300 s. */
  gets(path: string, isIt?: (received: Received) => boolean): Promise<Received>
  /** The status that is answered at a path from now on; 204 where nothing is said. */
  answer(path: string, status: number): void
}

/** A webhook that a full machine was too slow for is tried again after minutes. */
const LATE_MS = 300_000

/** Listens on 127.0.0.1. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  const statuses = new Map<string, number>()
  const waiting = new Set<() => void>()
  const server = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      const path = req.url ?? ''
      received.push({ path, headers: req.headers, text, body: JSON.parse(text), at: performance.now() })
      res.writeHead(statuses.get(path) ?? 204).end()
      for (const look of waiting) look()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const at = (path: string) => received.filter(each => each.path === path)
  return {
    url: path => `http://127.0.0.1:${port}${path}`,
    at,
    gets: (path, isIt = () => true) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = at(path).find(isIt)
          if (found === undefined) return
          clearTimeout(late)
          waiting.delete(look)
          resolve(found)
        }
        const late = setTimeout(() => {
          waiting.delete(look)
          reject(new assert.AssertionError({ message: `${path} got only ${JSON.stringify(at(path), null, 1)}` }))
        }, LATE_MS)
        waiting.add(look)
        look()
      }),
    answer: (path, status) => void statuses.set(path, status),
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
