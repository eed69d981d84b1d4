/** A server that speaks OpenAI's chat completions and says what the test says, in the order of the questions. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { TestContext } from 'node:test'
import { serveModel } from './serve-model.fixture.ts'

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
  const waiting: ((request: IncomingMessage) => void)[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    asked.push({ authorization: request.headers.authorization, body: JSON.parse(await text(request)) })
    const reply = replies[asked.length - 1] ?? 500
    if (reply === 'nothing') return waiting.shift()?.(request)
    if (typeof reply === 'function') return await reply(response)
    response.setHeader('retry-after-ms', '1').setHeader('content-type', 'application/json')
    if (reply === 'endless') return await pipeline(endless(), response).catch(() => {})
    if (typeof reply === 'number') return response.writeHead(reply).end('{"error":{"message":"scripted"}}')
    const choice = { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: reply } }
    const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }
    return response.end(JSON.stringify({ id: 'one', created: 1, model: 'scripted', choices: [choice], usage }))
  }
  const url = await serveModel(t, answer)
  /** The next question that is never answered. */
  const hung = () => new Promise<IncomingMessage>(resolve => void waiting.push(resolve))
  return { url, asked, hung }
}

function* endless() {
  yield '{"choices":[{"index":0,"message":{"role":"assistant","content":"'
  for (;;) yield 'again and again '.repeat(4_096)
}
