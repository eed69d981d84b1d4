/** Hands requests of HTTP/2 to the handlers of Connect. */
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import { type ConnectRouter, createContextValues } from '@connectrpc/connect'
import { universalRequestFromNodeRequest, universalResponseToNodeResponse } from '@connectrpc/connect-node'
import type { Log } from '@millhand/telemetry'
import type { Admission } from './admission.ts'
import { drainingKey } from './draining.ts'
import { grpcTrailer } from './grpc-message.ts'

export interface RequestHandlerOptions {
  readonly admission: Admission
  readonly draining: AbortSignal
  readonly log: Log
}

/**
 * Connect's own adapter for Node, but for four things: it writes to the console, a `:authority` that is no host ends
 * the process, who has no token learns which methods there are, and a caller that is answered before all of its request
 * was read waits for ever to send the rest.
 */
export function requestHandler(router: ConnectRouter, options: RequestHandlerOptions) {
  const { admission, draining, log } = options
  const handlers = new Map(router.handlers.map(handler => [handler.requestPath, handler]))

  const answer = async (request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> => {
    const handler = handlers.get(request.url.split('?', 1)[0] ?? '')
    if (handler === undefined) {
      // Clients of all three protocols know these as "unimplemented" and "unauthenticated".
      const authorization = request.headers.authorization ?? null
      const known = await admission.isKnown({ requestHeader: { get: () => authorization } })
      response.writeHead(known ? 404 : 401).end()
      return
    }
    if (!URL.canParse(`http://${request.authority}`)) {
      response.writeHead(400).end()
      return
    }
    const values = createContextValues().set(drainingKey, draining)
    const universal = universalRequestFromNodeRequest(request, response, undefined, values)
    const body = request.iterator({ destroyOnReturn: false })
    response.stream.once('finish', () => void discardRest(request, body))
    const answered = await handler({ ...universal, body })
    await universalResponseToNodeResponse(
      {
        ...answered,
        // It is not known before the body is sent.
        get trailer() {
          return grpcTrailer(answered.trailer)
        },
      } as typeof answered,
      response,
    )
  }

  return (request: Http2ServerRequest, response: Http2ServerResponse): void => {
    answer(request, response).catch((error: unknown) => {
      // What handlers throw has become an answer; this is about writing it, and mostly the caller has gone.
      log.debug('rpc.unanswered', { error })
      response.stream?.destroy()
    })
  }
}

async function discardRest(request: Http2ServerRequest, body: AsyncIterator<unknown>): Promise<void> {
  await body.return?.()
  request.resume()
}
