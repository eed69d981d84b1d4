import type {
  AuthenticateKeyRequest,
  AuthenticateKeyResponse,
} from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import type { IdentityDeps } from '../identity.ts'
import { keyMessage } from '../key.ts'

/** Says whom an API key belongs to, revoked and expired ones too: the caller judges by their times. */
export const authenticateKey =
  ({ keys }: Pick<IdentityDeps, 'keys'>) =>
  async ({ keySha256 }: AuthenticateKeyRequest): Promise<AuthenticateKeyResponse> => {
    const [key] = await keys.find('by_sha256', { equals: [Buffer.from(keySha256).toString('hex')], limit: 1 })
    return { $typeName: 'millhand.identity.v1.AuthenticateKeyResponse', ...(key && { key: keyMessage(key) }) }
  }
