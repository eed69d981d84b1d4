/** Stream tokens: credentials for one stream, for a browser's `EventSource`, which can't send a key. */
import type { DescService } from '@bufbuild/protobuf'
import type { Transport } from '@connectrpc/connect'
import { type Route, wordOfMode } from '@millhand/api'
import { StreamTokenService } from '@millhand/api/gen/millhand/compute/v1/stream_token_service_pb.ts'
import type { Caller } from '../admission/caller.ts'
import type { Callers } from '../admission/callers.ts'
import type { Authenticate } from '../pipeline/authenticate.ts'
import { CALL_MS } from '../pipeline/call.ts'
import type { RequestContext } from '../pipeline/context.ts'

/** The query's name for a token. */
export const TOKEN_PARAMETER = 'stream_token'

export interface TokenDeps {
  readonly authenticate: Authenticate
  readonly callers: Pick<Callers, 'byName'>
  readonly transport: Transport
}

/**
 * The caller that reads a stream: by its key, else by the token, which is good for one resource, and for as long as the
 * key that it was made with. Takes the token out of the query's pairs. Fails with 400 and 401.
 */
export function createTokenAuthenticate(
  route: Route,
  { authenticate, callers, transport }: TokenDeps,
): (context: RequestContext) => Promise<Caller> {
  const redeem = redeemMethodOf(route.service)
  const scopes = new Set([route.access.scope])
  return async ({ exchange, params, pairs }) => {
    const token = takeOut(pairs, TOKEN_PARAMETER)
    if (token === undefined || exchange.header('authorization') !== undefined) return await authenticate(exchange)
    const request = { token, taskId: params.id as string }
    const { message: redeemed } = await transport.unary(redeem, undefined, CALL_MS, undefined, request)
    const maker = await callers.byName({ ...redeemed, mode: wordOfMode(redeemed.mode) })
    return { ...maker, scopes }
  }
}

function takeOut(pairs: [name: string, value: string][], name: string): string | undefined {
  const at = pairs.findIndex(([each]) => each === name)
  return at === -1 ? undefined : pairs.splice(at, 1)[0]?.[1]
}

/** The method that redeems a token: of the route's service where it has one, else of compute. */
function redeemMethodOf({ method }: DescService): typeof StreamTokenService.method.redeemStreamToken {
  const { redeemStreamToken } = StreamTokenService.method
  const own = method[redeemStreamToken.localName]
  if (own?.input !== redeemStreamToken.input || own.output !== redeemStreamToken.output) return redeemStreamToken
  return own as typeof redeemStreamToken
}
