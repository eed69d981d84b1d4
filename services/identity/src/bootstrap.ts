/** The first account: the operator's own, with a live and a test key. */
import { createIds, hashOfKey, prefixOfKey } from '@millhand/api'
import type { Clock } from '@millhand/runner'
import type { Collection } from '@millhand/store'
import type { KeyRecord } from './key.ts'

/** Fixed, so that two first starts at once make one account. */
export const bootstrapAccountId = 'acct_00000000000000000000000001'

export interface BootstrapKeys {
  readonly live: string
  readonly test: string
}

/** Stores the keys of the first account, unless they are there. Only their SHA-256 is kept. */
export async function ensureBootstrapKeys(
  { keys, clock }: { readonly keys: Collection<KeyRecord, 'by_sha256'>; readonly clock: Clock },
  { live, test }: BootstrapKeys,
): Promise<void> {
  const ids = createIds({ now: () => clock.now() })
  for (const [mode, key] of [
    ['live', live],
    ['test', test],
  ] as const) {
    await keys.write({
      kind: 'insert',
      document: {
        tenant: `${bootstrapAccountId}/${mode}`,
        id: ids('key'),
        account_id: bootstrapAccountId,
        mode,
        name: `bootstrap ${mode} key`,
        scopes: ['*'],
        prefix: prefixOfKey(key),
        sha256: Buffer.from(hashOfKey(key)).toString('hex'),
        created_at: clock.now(),
      },
      events: [],
    }) // A conflict on `by_sha256` says that the key is there.
  }
}
