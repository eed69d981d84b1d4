import { timestampMs } from '@bufbuild/protobuf/wkt'
import type { HandlerContext } from '@connectrpc/connect'
import { failFaults, formatMs, holdsKey } from '@millhand/api'
import type { ApiKey, CreateApiKeyRequest } from '@millhand/api/gen/millhand/identity/v1/api_key_pb.ts'
import { principal } from '@millhand/rpc'
import { foundAccount } from '../accounts/account.ts'
import type { IdentityDeps } from '../identity-deps.ts'
import { keyMessage } from './api-key-record.ts'
import { issuedBefore, issueKey, leftToMaker } from './issue-key.ts'
import { requireKnown } from './scopes.ts'

/** Makes a key of the caller's mode. The answer is the only one that shows it. */
export const createApiKey =
  (deps: IdentityDeps) =>
  async (req: CreateApiKeyRequest, call: HandlerContext): Promise<ApiKey> => {
    const before = await issuedBefore(deps, call)
    if (before) return keyMessage(before.key, before.secret)
    requireKnown(req.scopes)
    if (holdsKey(req.name)) throw showsKey()
    const now = deps.clock.now()
    const left = await leftToMaker(deps, call, now)
    const lifetime_ms = req.expiresAt ? timestampMs(req.expiresAt) - now : left
    if (req.expiresAt && lifetime_ms <= 0) throw outOfRange('`expires_at` must be in the future.')
    if (lifetime_ms > left)
      throw outOfRange(`\`expires_at\` must be at most the end of your own key: ${formatMs(now + left)}.`)
    await foundAccount(deps.accounts, principal(call).accountId) // A person with the command line can name any.
    const { key, secret } = await issueKey(deps, call, { name: req.name, scopes: req.scopes, lifetime_ms }, now)
    return keyMessage(key, secret)
  }

const showsKey = () =>
  failFaults([
    { param: 'name', code: 'not_allowed', message: '`name` must not hold an API key: everybody is shown it.' },
  ])

const outOfRange = (message: string) => failFaults([{ param: 'expires_at', code: 'out_of_range', message }])
