/**
 * What deliveries are signed with, opened: to open a secret for each costs an eighth of all that a delivery does. The
 * latest are kept, by whose they are and as they are sealed: a rotation leaves the one before behind.
 */

import type { KeyObject } from 'node:crypto'
import type { SecretCipher } from '@millhand/api'
import { LRUCache } from 'lru-cache'
import { signingKey } from './secret.ts'
import { activeSecrets, type SecretOwner, type StoredSecret, sealedFor } from './stored-secret.ts'

export interface Keyring {
  /** The keys to sign with now, the newest first. @throws SecretUnreadable */
  active(owner: SecretOwner & StoredSecret, now: number): KeyObject[]
}

/** More than have anything to be delivered at a time: turns of all endpoints would find none of fewer. */
const MOST = 10_000

export function createKeyring(sealer: SecretCipher): Keyring {
  const keys = new LRUCache<string, KeyObject>({ max: MOST })

  function open(sealed: string, owner: string): KeyObject {
    const name = `${owner} ${sealed}`
    const key = keys.get(name) ?? signingKey(sealer.open(sealed, owner))
    keys.set(name, key)
    return key
  }

  return { active: (owner, now) => activeSecrets(owner, now).map(sealed => open(sealed, sealedFor(owner))) }
}
