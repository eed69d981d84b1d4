/**
 * Tells of the plans of accounts of which no event has told: those of before there were such events, and those that a
 * replica of an earlier version makes or changes while a deployment is upgraded.
 */
import { everyInterval } from '@millhand/process'
import { noAccount } from '@millhand/store'
import type { Log } from '@millhand/telemetry'
import type { IdentityDeps } from '../identity-deps.ts'
import { toldPlans } from './account.ts'
import { accountEvent } from './account-events.ts'

type AnnounceDeps = Pick<IdentityDeps, 'accounts' | 'clock' | 'ids'>

const EVERY_MS = 600_000
const AT_ONCE = 500

/** Again and again, until the signal ends. Never rejects. */
export const runAnnouncement = (deps: AnnounceDeps & { readonly log: Log }, signal: AbortSignal): Promise<void> =>
  everyInterval(deps.clock, EVERY_MS, signal, () =>
    announcePlans(deps, signal).catch(error => deps.log.error('account.plans_not_announced', { error })),
  )

async function announcePlans({ accounts, clock, ids }: AnnounceDeps, signal: AbortSignal): Promise<void> {
  for (let after = ''; !signal.aborted; ) {
    const page = await accounts.find('primary', { equals: [noAccount], after: [after], limit: AT_ONCE })
    const untold = page.filter(account => account.plans_told !== toldPlans(account))
    await Promise.all(
      untold.map(({ version, ...account }) => {
        const events = [accountEvent('account.plans_changed', account, { ids, now: clock.now() })]
        const document = { ...account, plans_told: toldPlans(account) }
        // A conflict: somebody has changed it meanwhile, and whoever changes plans tells of them.
        return accounts.write({ kind: 'replace', version, document, events })
      }),
    )
    const last = page.at(-1)
    if (last === undefined || page.length < AT_ONCE) return
    after = last.id
  }
}
