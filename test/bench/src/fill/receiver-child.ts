/** A server of webhook endpoints: `/well/…` answers at once, `/failing/…` with 500, `/dead/…` never. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerQuestions } from '../child.ts'

answerQuestions(async (_: null): Promise<number> => {
  const server = createServer((request, response) => {
    request.resume()
    const [, kind] = request.url?.split('/') ?? []
    if (kind === 'failing') response.statusCode = 500
    if (kind !== 'dead') response.end('{}')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
})
