/** Tokens that let a browser read one task's stream, where it can't send a key. */
import { createSeals, fail, type KeyName } from '@millhand/api'
import type { Clock } from '@millhand/process'
import type { Principal } from '@millhand/rpc'

export interface StreamTokens {
  /** A token for one task of the caller's; `expiresAt` is in milliseconds since 1970. */
  make(caller: Principal, taskId: string): { readonly token: string; readonly expiresAt: number }
  /** Who had it made. Fails with `invalid_credentials` where it was not made for the task, and with `expired_credentials`. */
  redeem(token: string, taskId: string): KeyName
}

/** `secret` is at least 32 bytes, and the same for all replicas. */
export function createStreamTokens(secret: Uint8Array, clock: Pick<Clock, 'now'>): StreamTokens {
  const { seal, open } = createSeals(secret, 'stream token')
  return {
    make({ accountId, mode, keyId }, taskId) {
      const expiresAt = clock.now() + LIFETIME_MS
      const content: Content = { accountId, mode, keyId, expiresAt }
      return { token: PREFIX + seal(content, taskId), expiresAt }
    },
    redeem(token, taskId) {
      const sealed = token.startsWith(PREFIX) ? token.slice(PREFIX.length) : ''
      const content = open(sealed, taskId) as Content | undefined
      if (content === undefined) {
        throw fail('invalid_credentials', 'The stream token was not made for this task, or is misspelt.')
      }
      const { expiresAt, ...maker } = content
      if (expiresAt > clock.now()) return maker
      throw fail(
        'expired_credentials',
        `The stream token expired at ${new Date(expiresAt).toISOString()}: make another.`,
      )
    },
  }
}

interface Content extends KeyName {
  readonly expiresAt: number
}

/** By this it is recognised where it must not be shown. */
const PREFIX = 'mht_'

const LIFETIME_MS = 900_000
