/** What the generated checks (`gen/checks.ts`) are made of. A valid message makes no object and no text. */
import { type Fault, maxFaults, shownPath } from '@millhand/api'

/** A rule that a message breaks. `path` begins at the message that is checked. */
export interface BrokenRule {
  path: string
  readonly code: string
  /** Goes on after the subject, without a full stop. */
  readonly says: string
  readonly subject: Subject
}

/** What the sentence is about: the value at the path, the key of the entry there, or the whole message. */
export type Subject = 'value' | 'key' | 'message'

/** Adds the rules that a message breaks, in the order of protovalidate: fields as they are declared, then choices. */
export type Check<Shape = never> = (message: Shape, broken: BrokenRule[]) => void

export function add(broken: BrokenRule[], path: string, code: string, says: string, subject: Subject = 'value'): void {
  broken.push({ path, code, says, subject })
}

/** Whether enough is known: as many faults as an answer shows, and one that tells that there are more. */
export const isEnough = (broken: readonly BrokenRule[]): boolean => broken.length > maxFaults

/** Checks a message within another. */
export function inside<Shape>(message: Shape, path: string, check: Check<Shape>, broken: BrokenRule[]): void {
  const before = broken.length
  check(message, broken)
  for (const rule of broken.length === before ? none : broken.slice(before)) rule.path = `${path}.${rule.path}`
}

/** Checks the messages of a list. */
export function each<Shape>(messages: readonly Shape[], path: string, check: Check<Shape>, broken: BrokenRule[]): void {
  for (let at = 0; at < messages.length && !isEnough(broken); at++) {
    const before = broken.length
    check(messages[at] as Shape, broken)
    for (const rule of broken.length === before ? none : broken.slice(before)) rule.path = `${path}[${at}].${rule.path}`
  }
}

const none: readonly BrokenRule[] = []

/** The path of an entry of a map; `metadata[]` for the empty key. */
export const entryPath = (path: string, key: string): string => (key === '' ? `${path}[]` : `${path}.${key}`)

/** Characters, as Unicode counts them. */
export function lengthOf(text: string): number {
  let length = 0
  for (const _ of text) length++
  return length
}

/** Whether a text has more characters. One has at most two units of UTF-16, so most texts need no count. */
export const isLonger = (text: string, most: number): boolean =>
  text.length > most && (text.length > 2 * most || lengthOf(text) > most)

/** Whether a text has more bytes in UTF-8. A unit of UTF-16 has one to three, so most texts need no count. */
export const isOverBytes = (text: string, most: number): boolean =>
  text.length * 3 > most && (text.length > most || Buffer.byteLength(text) > most)

export const hasRepeats = (items: readonly unknown[]): boolean => items.length > 1 && new Set(items).size < items.length

/** The broken rule as callers of REST see it. */
export function faultOf({ path, code, says, subject }: BrokenRule): Fault {
  const param = shownPath(path)
  const of = { value: `\`${param}\` `, key: `The key in \`${param}\` `, message: '' }[subject]
  return { param, code, message: `${of}${says}.` }
}
