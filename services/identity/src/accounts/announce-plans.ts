/** Tells of the plans of accounts that were made before their plans had events. */
import { noAccount } from '@millhand/store'
import type { IdentityDeps } from '../identity-deps.ts'
import { accountEvent } from './account-events.ts'

const AT_ONCE = 500

/** Once, when the owner starts: accounts are told of when they are made. */
export async function announcePlans(
  { accounts, clock, ids }: Pick<IdentityDeps, 'accounts' | 'clock' | 'ids'>,
  signal: AbortSignal,
): Promise<void> {
  for (let after = ''; !signal.aborted; ) {
    const page = await accounts.find('primary', { equals: [noAccount], after: [after], limit: AT_ONCE })
    const untold = page.filter(({ plans_told }) => !plans_told)
    await Promise.all(
      untold.map(({ version, ...account }) => {
        const events = [accountEvent('account.plans_changed', account, { ids, now: clock.now() })]
        // A conflict: somebody has changed it meanwhile, and whoever changes plans tells of them.
        return accounts.write({ kind: 'replace', version, document: { ...account, plans_told: 'yes' }, events })
      }),
    )
    const last = page.at(-1)
    if (last === undefined || page.length < AT_ONCE) return
    after = last.id
  }
}
