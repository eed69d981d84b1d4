import type { HandlerContext } from '@connectrpc/connect'
import { firstIdAt } from '@millhand/api'
import type {
  ApiKey,
  GetApiKeyRequest,
  ListApiKeysRequest,
  ListApiKeysResponse,
} from '@millhand/api/gen/millhand/identity/v1/api_key_pb.ts'
import { Order } from '@millhand/api/gen/millhand/type/v1/mode_pb.ts'
import { principal } from '@millhand/rpc'
import { readPage, settlesAfterMs } from '@millhand/store'
import type { IdentityDeps } from '../identity-deps.ts'
import { foundKey, keyMessage } from './api-key-record.ts'

export const getApiKey =
  ({ keys }: IdentityDeps) =>
  async ({ id }: GetApiKeyRequest, call: HandlerContext): Promise<ApiKey> =>
    keyMessage(await foundKey(keys, principal(call).tenant, id))

/** Revoked and expired ones too, newest first. */
export const listApiKeys =
  ({ keys, cursors, clock }: IdentityDeps) =>
  async (req: ListApiKeysRequest, call: HandlerContext): Promise<ListApiKeysResponse> => {
    const before = req.order === Order.ASC ? firstIdAt('key', clock.now() - settlesAfterMs) : undefined
    const { data, more } = await readPage({
      find: keys.find,
      tenant: principal(call).tenant,
      range: { after: undefined, before },
      list: ['api_keys'],
      cursors,
      request: req,
    })
    return {
      $typeName: 'millhand.identity.v1.ListApiKeysResponse',
      data: data.map(key => keyMessage(key)),
      ...more,
    }
  }
