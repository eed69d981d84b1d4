/** What API keys are made of. */
import { createHmac } from 'node:crypto'
import { createApiKey, type KeyMode } from '@millhand/api'

/** Where a key is made. */
export interface KeyOrigin {
  readonly mode: KeyMode
  readonly tenant: string
  /** The operation that makes it, where there is one: the same makes the same key again, when its answer was lost. */
  readonly operation: string | undefined
}

/** `secret` is identity's own: whoever has it can make the keys of operations, whose ids are no secret. */
export function createKeyGenerator(secret: Uint8Array): (making: KeyOrigin) => string {
  return ({ mode, tenant, operation }) => {
    if (operation === undefined) return createApiKey(mode)
    let block = 0
    return createApiKey(mode, size =>
      createHmac('sha256', secret).update(`${tenant}\0${operation}\0${block++}`).digest().subarray(0, size),
    )
  }
}
