/** Finds the caller of a request by its API key. */
import { hash } from 'node:crypto'
import { fail } from '@millhand/api'
import type { Caller } from '../admission/caller.ts'
import type { Callers } from '../admission/callers.ts'
import type { PresentedKey } from '../admission/key-cache.ts'
import type { Inbound } from '../inbound.ts'

/**
 * The caller that the `Authorization` header names; no promise where the key is cached.
 * Fails with `missing_credentials`, with `invalid_credentials`, or as `Callers` does.
 */
export type Authenticate = (exchange: Pick<Inbound, 'header' | 'connection'>) => Caller | Promise<Caller>

export function createAuthenticate(callers: Pick<Callers, 'byKey'>): Authenticate {
  // A connection sends the same header again and again; hashing it is a tenth of what the gateway does.
  const latest = new WeakMap<object, { readonly authorization: string; readonly presented: PresentedKey }>()
  return exchange => {
    const { connection } = exchange
    const authorization = exchange.header('authorization')
    const before = latest.get(connection)
    if (before !== undefined && before.authorization === authorization) return callers.byKey(before.presented)
    if (authorization === undefined) {
      throw fail('missing_credentials', 'The request has no `Authorization` header.')
    }
    const key = bearer.exec(authorization)?.[1]
    if (key === undefined) throw fail('invalid_credentials', '`Authorization` must be `Bearer` and an API key.')
    const presented = { key, digest: hash('sha256', key, 'base64') }
    latest.set(connection, { authorization, presented })
    return callers.byKey(presented)
  }
}

/** The scheme is case-insensitive (RFC 9110, section 11.1). */
const bearer = /^bearer +(\S+) *$/i
