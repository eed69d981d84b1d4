/** The tokens of executors in instances: compute makes them for itself, with a key of its own. */
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import type { ExecutorTokens } from '@millhand/compute'
import { allOf, createTokenIssuer, createTokenReader, deriveSecret } from '@millhand/rpc/network'

/** `publicKey` is what compute trusts beside the operator's. All replicas of compute have one secret, so they take each other's. */
export function createExecutorTokens(computeSecret: Uint8Array): ExecutorTokens & { readonly publicKey: string } {
  const { publicKey, mint } = createTokenIssuer(deriveSecret(computeSecret, 'executors in instances'))
  const read = createTokenReader([publicKey])
  return {
    publicKey,
    mint: (executor, expiresAt) => mint({ service: 'executor', methods: [allOf(LeaseService)], executor, expiresAt }),
    read(token) {
      const { executor, expiresAt } = read(token) ?? {}
      return executor === undefined || expiresAt === undefined ? undefined : { executor, expiresAt }
    },
  }
}
