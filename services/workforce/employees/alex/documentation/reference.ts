/** What is documented, whatever it is written in. */

/** A file. */
export interface Module {
  readonly file: string
  readonly language: DocumentedLanguage
  readonly description: string
  readonly entries: readonly Entry[]
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
}

/** The file can't be read as its language. */
export class Unreadable extends Error {}

/** On one line, at most so long. */
export const short = (text: string, most = 500): string => {
  const flat = text.replaceAll(/\s+/g, ' ').trim()
  return flat.length > most ? `${flat.slice(0, most - 1)}…` : flat
}

/** Overloads of a function, and interfaces that are declared twice, are one entry. */
export function merged(entries: readonly Entry[]): Entry[] {
  const byName = new Map<string, Entry>()
  for (const entry of entries) {
    const key = `${entry.kind} ${entry.name}`
    const known = byName.get(key)
    byName.set(
      key,
      known
        ? {
            ...known,
            signature: `${known.signature}\n${entry.signature}`,
            description: known.description || entry.description,
            members: [...known.members, ...entry.members],
          }
        : entry,
    )
  }
  return [...byName.values()]
}
