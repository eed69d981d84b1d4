/** Where deliveries are posted to, as callers name it. */
import type { Fault, KeyMode } from '@millhand/api'

/** What is wrong with an address before anything is dialled, in words that follow its name; undefined if nothing. */
export type TargetFault = (url: string, mode: KeyMode) => string | undefined

/** What stands against an address that is never dialled: the `url` of a request. */
export function urlFaults(
  { targetFault }: { readonly targetFault: TargetFault },
  url: string | undefined,
  mode: KeyMode,
): Fault[] {
  const fault = url === undefined ? undefined : targetFault(url, mode)
  return fault === undefined ? [] : [{ param: 'url', code: 'not_allowed', message: `\`url\` ${fault}.` }]
}
