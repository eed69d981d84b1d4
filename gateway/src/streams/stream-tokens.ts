/** Stream tokens: what a browser's `EventSource`, which can't send a key, reads one stream with. */
import type { DescService } from '@bufbuild/protobuf'
import type { Transport } from '@connectrpc/connect'
import { type Route, wordOfMode } from '@millhand/api'
import { StreamTokenService } from '@millhand/api/gen/millhand/compute/v1/stream_token_service_pb.ts'
import { type AdmitDeps, createAdmit, createAdmitCaller } from '../admission/admit.ts'
import type { Caller } from '../admission/caller.ts'
import type { Callers } from '../admission/callers.ts'
import type { Exchange } from '../exchange.ts'
import { CALL_MS } from '../transcode/call.ts'

/** The query's name for a token. */
export const TOKEN_PARAMETER = 'stream_token'

export interface TokenAdmitDeps extends AdmitDeps {
  readonly callers: Pick<Callers, 'byName'>
  readonly transport: Transport
}

/**
 * Who reads a stream, once it is sure that they may: by their key, else by the token, which is good for `id` alone, and
 * for as long as the key that it was made with. Fails with 401, 403 or 429.
 */
export type TokenAdmit = (exchange: Exchange, id: string, token: string | undefined) => Promise<Caller>

export function createTokenAdmit(route: Route, deps: TokenAdmitDeps): TokenAdmit {
  const { callers, transport } = deps
  const redeem = redeemMethodOf(route.service)
  const admit = createAdmit(route, deps)
  const admitMaker = createAdmitCaller(route, deps)
  const scopes = new Set([route.access.scope])
  return async (exchange, id, token) => {
    if (token === undefined || exchange.header('authorization') !== undefined) return await admit(exchange)
    const { message: redeemed } = await transport.unary(redeem, undefined, CALL_MS, undefined, { token, taskId: id })
    const maker = await callers.byName({ ...redeemed, mode: wordOfMode(redeemed.mode) })
    return await admitMaker(exchange, { ...maker, scopes })
  }
}

/** Who knows what a token is worth: the service that made it, or the one beside it. */
function redeemMethodOf({ method }: DescService): typeof StreamTokenService.method.redeemStreamToken {
  const { redeemStreamToken } = StreamTokenService.method
  const own = method[redeemStreamToken.localName]
  if (own?.input !== redeemStreamToken.input || own.output !== redeemStreamToken.output) return redeemStreamToken
  return own as typeof redeemStreamToken
}
