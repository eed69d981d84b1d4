/** Conditional reads (RFC 9110, section 13.1.2). */
import { hash } from 'node:crypto'

/**
 * The entity tag of an answer. It is weak: what is only an estimate is left out of the text that it is made from,
 * so two answers with the same tag may differ there.
 */
export function entityTag(text: string | Buffer): string {
  return `W/"${hash('sha256', text, 'base64url').slice(0, 22)}"`
}

/** Whether the caller already holds what `tag` names, by its `If-None-Match`. */
export function isHeld(tag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  const opaque = withoutWeakness(tag)
  return ifNoneMatch.split(',').some(held => withoutWeakness(held.trim()) === opaque)
}

const withoutWeakness = (tag: string) => (tag.startsWith('W/') ? tag.slice(2) : tag)
