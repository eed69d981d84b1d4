/** A server of webhook endpoints: `/well/…` answers at once, `/dead/…` never. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerQuestions } from '../child.ts'

answerQuestions(async (_: null): Promise<number> => {
  const server = createServer((request, response) => {
    request.resume()
    if (request.url?.startsWith('/well/')) response.end('{}')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
})
