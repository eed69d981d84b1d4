/** What is documented, whatever it is written in. */

/** A file. */
export interface Module {
  readonly file: string
  readonly language: DocumentedLanguage
  readonly description: string
  readonly entries: readonly Entry[]
  /** What was seen in it and is not among the entries. */
  readonly left_out: readonly LeftOut[]
}

export type DocumentedLanguage = 'typescript' | 'javascript' | 'python' | 'openapi' | 'proto'

/** Something that can be used from outside, or a part of it. */
export interface Entry {
  /** For example function, class, method, field, operation, message. */
  readonly kind: string
  readonly name: string
  /** As the source has it, without its body. */
  readonly signature: string
  /** From 1. */
  readonly line: number
  /** What its comment says; empty where it has none. */
  readonly description: string
  readonly members: readonly Entry[]
  /** Overloads, a getter and its setter, and what is declared twice: each with its own comment. */
  readonly declarations?: readonly Declaration[]
}

export interface Declaration {
  readonly signature: string
  readonly description: string
}

/** The file can't be read as its language. */
export class Unreadable extends Error {}

/** On one line, at most so long. */
export const short = (text: string, most = 500): string => {
  const flat = text.replaceAll(/\s+/g, ' ').trim()
  return flat.length > most ? `${flat.slice(0, most - 1)}…` : flat
}

/** Overloads of a function, and interfaces that are declared twice, are one entry. The same declaration counts once. */
export function merged(entries: readonly Entry[]): Entry[] {
  const byName = Map.groupBy(entries, ({ kind, name }) => `${kind} ${name}`)
  return [...byName.values()].map(all => {
    const [first] = all as [Entry, ...Entry[]]
    if (all.length === 1) return first
    const same = [...new Map(all.map(entry => [`${entry.line} ${entry.signature}`, entry])).values()]
    return same.length === 1 ? first : together(first, same)
  })
}

function together(first: Entry, same: readonly Entry[]): Entry {
  const declarations = same.flatMap(
    ({ signature, description, declarations: own }) => own ?? [{ signature, description }],
  )
  return {
    ...first,
    signature: declarations.map(({ signature }) => signature).join('\n'),
    description: [...new Set(declarations.map(({ description }) => description))]
      .filter(text => text !== '')
      .join('\n\n'),
    members: same.flatMap(({ members }) => members),
    declarations,
  }
}

/** What was seen and is not told, by reason. */
export interface LeftOut {
  /** As it follows a count: "private members". */
  readonly reason: string
  readonly count: number
  /** The first of them. */
  readonly names: readonly string[]
}

export interface LeftOutList {
  readonly add: (reason: string, name: string) => void
  readonly all: () => LeftOut[]
}

const MOST_NAMES = 20

export function createLeftOut(): LeftOutList {
  const byReason = new Map<string, string[]>()
  return {
    add(reason, name) {
      const names = byReason.get(reason)
      if (names) names.push(short(name, 100))
      else byReason.set(reason, [short(name, 100)])
    },
    all: () =>
      [...byReason].map(([reason, names]) => ({ reason, count: names.length, names: names.slice(0, MOST_NAMES) })),
  }
}
