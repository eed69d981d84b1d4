import type { Principal } from '@millhand/rpc'
import { modeOf } from '@millhand/task'

/** Who something belongs to, for what is done to it when nobody calls. */
export const tenantPrincipal = ({ tenant }: { readonly tenant: string }): Principal => ({
  accountId: tenant.slice(0, tenant.indexOf('/')),
  mode: modeOf(tenant),
  tenant,
  scopes: new Set(),
  keyId: '',
  plans: { compute: '', developer: '', workforce: '' },
})
