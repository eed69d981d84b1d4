/** Entity tags and conditional reads (RFC 9110, sections 8.8.3 and 13.1.2). */
import { hash } from 'node:crypto'
import type { DescMethodUnary, Message } from '@bufbuild/protobuf'
import { jsonWriter } from '@millhand/api'

/**
 * The entity tag of an answer. It is weak: what is only an estimate is left out of the text that it is made from,
 * so two answers with the same tag may differ there.
 */
export function entityTag(text: string | Buffer): string {
  return `W/"${hash('sha256', text, 'base64url').slice(0, 22)}"`
}

/** Makes the ETag of a method's answers, each of which comes with its JSON text. */
export function tagger({ output }: DescMethodUnary): (message: Message, text: string) => string {
  const locals = output.fields.filter(({ name }) => estimates.includes(name)).map(({ localName }) => localName)
  if (locals.length === 0) return (_message, text) => entityTag(text)
  const write = jsonWriter(output, { omit: estimates })
  return (message, text) => {
    const hasEstimate = locals.some(local => (message as unknown as Record<string, unknown>)[local] !== undefined)
    return entityTag(hasEstimate ? write(message) : text)
  }
}

/** Fields that only estimate something: an ETag leaves them out, or it would change while nothing has. */
const estimates = ['position']

/** Whether the caller already holds what `tag` names, by its `If-None-Match`. */
export function isHeld(tag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  const opaque = withoutWeakness(tag)
  return ifNoneMatch.split(',').some(held => withoutWeakness(held.trim()) === opaque)
}

/** Whether `tag`, which is strong, is one of those of an `If-Match`; also where none are named. */
export const isMatched = (tag: string, ifMatch = ''): boolean =>
  ['', '*'].includes(ifMatch.trim()) || ifMatch.split(',').some(named => named.trim() === tag)

const withoutWeakness = (tag: string) => (tag.startsWith('W/') ? tag.slice(2) : tag)
