/** A server that speaks OpenAI's chat completions and says what the test says, in the order of the questions. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { TestContext } from 'node:test'

export type Reply =
  /** What the model says. */
  | string
  /** Answered with this status, and to be asked again at once. */
  | number
  /** Never answered. */
  | 'nothing'
  /** Answered without an end, as fast as it is read. */
  | 'endless'
  /** Answered by this. */
  | ((response: ServerResponse) => void | Promise<void>)

interface Asked {
  readonly authorization: string | undefined
  readonly body: {
    readonly model: string
    readonly max_tokens: number
    readonly messages: readonly { readonly role: string; readonly content: string }[]
  }
}

/** Each answer counts 100 tokens read and 10 written. */
export async function scriptedModel(t: Pick<TestContext, 'after'>, replies: readonly Reply[]) {
  const asked: Asked[] = []
  const hung = Promise.withResolvers<IncomingMessage>()
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    asked.push({ authorization: request.headers.authorization, body: JSON.parse(await text(request)) })
    const reply = replies[asked.length - 1] ?? 500
    if (reply === 'nothing') return hung.resolve(request)
    if (typeof reply === 'function') return await reply(response)
    response.setHeader('retry-after-ms', '1').setHeader('content-type', 'application/json')
    if (reply === 'endless') return await pipeline(endless(), response).catch(() => {})
    if (typeof reply === 'number') return response.writeHead(reply).end('{"error":{"message":"scripted"}}')
    const choice = { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: reply } }
    const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }
    return response.end(JSON.stringify({ id: 'one', created: 1, model: 'scripted', choices: [choice], usage }))
  }
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/v1`, asked, hung: hung.promise }
}

function* endless() {
  yield '{"choices":[{"index":0,"message":{"role":"assistant","content":"'
  for (;;) yield 'again and again '.repeat(4_096)
}
