/** Where webhooks and callbacks may go: the same for who takes an address and who dials it. */
import type { KeyMode } from '@millhand/api'
import { type AddressRanges, parseRanges, targetFault } from '@millhand/dial'

/** `allowed` is the operator's `MILLHAND_WEBHOOK_ALLOW`. In the sandbox plain `http` may go anywhere that is public. */
export function webhookTargets(allowed: AddressRanges | undefined) {
  const allow = allowed ?? parseRanges('')
  return {
    allow,
    targetFault: (url: string, mode: KeyMode) => targetFault(url, { plainHttp: mode === 'test', allow }),
  }
}
