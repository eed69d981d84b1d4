/** Identity: whose key it is. */
import { IdentityService } from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import type { Routes } from '@millhand/rpc'
import type { Collection } from '@millhand/store'
import type { KeyRecord } from './key.ts'
import { authenticateKey } from './rpc/authenticate-key.ts'

export { type BootstrapKeys, bootstrapAccountId, ensureBootstrapKeys } from './bootstrap.ts'
export { type KeyRecord, keysSpec } from './key.ts'

export interface IdentityDeps {
  readonly keys: Collection<KeyRecord, 'by_sha256'>
}

export function createIdentityService(deps: IdentityDeps) {
  return {
    routes(router: Routes): void {
      router.service(IdentityService, { authenticateKey: authenticateKey(deps) })
    },
  }
}
