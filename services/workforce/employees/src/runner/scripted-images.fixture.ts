/** A server that speaks OpenAI's images and answers with what the test says, in the order of the questions. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { TestContext } from 'node:test'
import { serveModel } from './serve-model.fixture.ts'

export type ImageReply =
  /** A picture, or what is said to be one. */
  | Uint8Array
  /** Answered with this status, and to be asked again at once. */
  | number
  /** Never answered. */
  | 'nothing'
  /** Answered without an end, as fast as it is read. */
  | 'endless'
  /** Answered with this as JSON. */
  | { readonly data: readonly object[] }

interface Asked {
  readonly path: string | undefined
  readonly authorization: string | undefined
  readonly body: {
    readonly model: string
    readonly prompt: string
    readonly size: string
    readonly n: number
    readonly response_format: string
  }
}

export async function scriptedImages(t: Pick<TestContext, 'after'>, replies: readonly ImageReply[]) {
  const asked: Asked[] = []
  const waiting: ((request: IncomingMessage) => void)[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { url: path, headers } = request
    const body = await text(request)
    asked.push({ path, authorization: headers.authorization, body: body === '' ? {} : JSON.parse(body) })
    const reply = replies[asked.length - 1] ?? 500
    if (reply === 'nothing') return waiting.shift()?.(request)
    response.setHeader('retry-after-ms', '1').setHeader('content-type', 'application/json')
    if (reply === 'endless') return await pipeline(endless(), response).catch(() => {})
    if (typeof reply === 'number') return response.writeHead(reply).end('{"error":{"message":"scripted"}}')
    const data = 'data' in reply ? reply.data : [{ b64_json: Buffer.from(reply).toString('base64') }]
    return response.end(JSON.stringify({ created: 1, data }))
  }
  const url = await serveModel(t, answer)
  /** The next question that is never answered. */
  const hung = () => new Promise<IncomingMessage>(resolve => void waiting.push(resolve))
  return { url, asked, hung }
}

function* endless() {
  yield '{"created":1,"data":[{"b64_json":"'
  for (;;) yield 'iVBORw0KGgoAAAANSUhEUgAA'.repeat(4_096)
}
