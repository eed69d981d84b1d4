/** The public id of a line: its month and its key, which say under what its entries are, and a mark of its tenant. */
import { createHash } from 'node:crypto'
import { keyOfText, keyText, type LineKey } from './line.ts'
import type { Month } from './month.ts'

export function lineId(tenant: string, month: Month, key: LineKey): string {
  const text = `${month}/${keyText(key)}`
  const mark = createHash('sha256').update(`${tenant}/${text}`).digest('base64url').slice(0, MARK_LENGTH)
  return `line_${mark}${Buffer.from(text).toString('base64url')}`
}

/** Without it accounts would have lines of the same id. */
const MARK_LENGTH = 8

/** Undefined for what is no line's id. */
export function parseLineId(tenant: string, id: string): { readonly month: Month; readonly key: LineKey } | undefined {
  const text = id.startsWith('line_') ? Buffer.from(id.slice('line_'.length + MARK_LENGTH), 'base64url').toString() : ''
  const month = text.slice(0, 'YYYY-MM'.length)
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month)) return undefined
  const key = keyOfText(text.slice(month.length + 1))
  return key && lineId(tenant, month, key) === id ? { month, key } : undefined
}
