/** A limit: node:http and nothing else. Reads the body, answers 201 with JSON of the size asked for. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerQuestions } from '../child.ts'

export interface RawHttp {
  /** Bytes of the answer's body. */
  readonly answerBytes: number
}

/** Answers with the port that it listens on. */
answerQuestions(async ({ answerBytes }: RawHttp): Promise<number> => {
  const answer = Buffer.from(
    JSON.stringify({ padding: 'x'.repeat(Math.max(0, answerBytes - '{"padding":""}'.length)) }),
  )
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => {
      Buffer.concat(chunks)
      response.writeHead(201, { 'content-type': 'application/json', 'content-length': answer.length }).end(answer)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
})
