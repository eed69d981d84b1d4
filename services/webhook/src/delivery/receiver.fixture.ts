/** A server of endpoints: each path is one, and does as it is told. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Post {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

type Behaviour = (response: ServerResponse, post: Post) => void

export async function openReceiver() {
  const posts: Post[] = []
  const behaviours = new Map<string, Behaviour>()
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const post = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(parts).toString() }
    posts.push(post)
    const behaviour = behaviours.get(post.path) ?? (answer => answer.end())
    behaviour(response, post)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    posts,
    /** The address of an endpoint. */
    url: (path: string) => `http://127.0.0.1:${port}/${path}`,
    of: (path: string) => posts.filter(post => post.path === `/${path}`),
    /** What an endpoint does from now on; else it answers 200. */
    lets: (path: string, behaviour: Behaviour) => void behaviours.set(`/${path}`, behaviour),
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

export const status =
  (code: number, headers: Record<string, string> = {}, text = ''): Behaviour =>
  response =>
    void response.writeHead(code, headers).end(text)

export const hang: Behaviour = () => {}

export const reset: Behaviour = response => void response.destroy()

/** Does the one thing so many times, then the other. */
export function first(times: number, one: Behaviour, other: Behaviour): Behaviour {
  let left = times
  return (...words) => (left-- > 0 ? one : other)(...words)
}
