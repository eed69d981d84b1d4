import { fail } from './errors.ts'
import { createSeals } from './seal.ts'

/** Seals where a list stopped, so that callers can hand it back but not make one up or use it elsewhere. */
export interface Cursors {
  /** `position` is any JSON value. `boundTo` names what the list was of: account, filters, order. */
  seal(position: unknown, boundTo: string): string
  /** The position of a cursor that `seal` made with the same `boundTo`; else fails with `invalid_cursor`. */
  open(cursor: string, boundTo: string): unknown
}

/** `secret` is at least 32 bytes, and the same for all replicas. */
export function createCursors(secret: Uint8Array): Cursors {
  const { seal, open } = createSeals(secret, 'cursor')
  return {
    seal,
    open(cursor, boundTo) {
      const position = open(cursor, boundTo)
      if (position !== undefined) return position
      throw fail('invalid_cursor', '`cursor` is not one that this list gave for these filters and this order.', {
        param: 'cursor',
      })
    },
  }
}
