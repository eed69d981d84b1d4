/** Where deliveries are posted to, as callers name it. */
import { failFaults, type KeyMode } from '@millhand/api'

/** What is wrong with an address before anything is dialled, in words that follow its name; undefined if nothing. */
export type TargetFault = (url: string, mode: KeyMode) => string | undefined

/** Fails for an address that is never dialled: the `url` of a request. */
export function requireTarget(
  { targetFault }: { readonly targetFault: TargetFault },
  url: string,
  mode: KeyMode,
): void {
  const fault = targetFault(url, mode)
  if (fault !== undefined) throw failFaults([{ param: 'url', code: 'not_allowed', message: `\`url\` ${fault}.` }])
}
