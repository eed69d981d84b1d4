/** A rule over syntax trees: a query of tree-sitter and what is known of its matches. */

import type { Rule } from './finding.ts'
import type { Node } from './grammar.ts'
import { looksSecret, secretName } from './secret.ts'

export interface TreeRule {
  /** Captures the place as `@at`. https://tree-sitter.github.io/tree-sitter/using-parsers/queries */
  readonly query: string
  readonly message: string | ((captured: Captured) => string)
  readonly rule: Rule
  /** Further conditions on what was captured. */
  holds?(captured: Captured): boolean
  /** What to write instead of a node. */
  replace?(captured: Captured): { readonly node: Node; readonly text: string } | undefined
}

/** Nodes by the names of a query. */
export type Captured = Readonly<Record<string, Node>> & { readonly at: Node }

/** The nearest node around it that is of one of these types. */
export function around(node: Node, ...types: readonly string[]): Node | undefined {
  for (let at = node.parent; at; at = at.parent) if (types.includes(at.type)) return at
  return undefined
}

/** What several languages share. */
export const shared = {
  sql: [
    'error',
    'security',
    'A value with a quote in it becomes part of the statement: its sender reads and changes what they want.',
    'Write a placeholder and give the values beside the statement.',
  ],
  unused: [
    'error',
    'bug',
    'The call changes nothing: it gives a new value, and that is thrown away.',
    'Use what it gives, or leave the call out.',
  ],
  command: [
    'error',
    'security',
    'A value with a semicolon in it runs a second command.',
    'Run the program itself with a list of arguments.',
  ],
  certificate: [
    'error',
    'security',
    'Whoever sits in between can answer as the server, and read and change everything.',
    'Check the certificate; for one of your own add its authority.',
  ],
  weakHash: [
    'warning',
    'security',
    'Collisions of it are made in seconds, and passwords hashed with it are guessed by the billion.',
    'Use SHA-256; for passwords scrypt or argon2.',
  ],
  swallowed: [
    'warning',
    'bug',
    'The error is thrown away: nobody learns that it went wrong.',
    'Handle it, pass it on, or say in a comment why nothing is done.',
  ],
  foreignObjects: [
    'error',
    'security',
    'Loading objects of this form can run code that their sender chose.',
    'Use JSON.',
  ],
  evaluated: ['error', 'security', 'Any text is run as code.', 'Look the value up in a table of those that are meant.'],
  secret: [
    'error',
    'security',
    'Everybody who can read the code, its history or a build of it has the secret.',
    'Take it from the environment or a vault, and replace this one: it is known.',
  ],
  isNull: [
    'error',
    'bug',
    'A check or an assignment before it makes it null, so taking a member fails.',
    'Return before it, or give it another value.',
  ],
  sameSides: ['error', 'bug', 'Both sides are the same.', 'Compare with what is meant.'],
} as const satisfies Record<string, Rule>

/** The rule for a literal `@value` under a `@name`. */
export const secretRule = (query: string): TreeRule => ({
  query,
  message: 'A secret stands in the code.',
  rule: shared.secret,
  holds: ({ name, value }) => {
    const text = value?.text.replaceAll(/^"|"$/g, '') ?? ''
    return looksSecret(text) || secretName(name?.text ?? '', text)
  },
})

/** Whether a text that is put together at `at`, and kept under a name, goes to one of these calls in its function. */
export function goesTo(calls: string, { at, name }: Captured, ...functions: readonly string[]): boolean {
  const body = around(at, ...functions)?.text ?? ''
  const taken =
    name === undefined || !/^\w+$/.test(name.text)
      ? undefined
      : new RegExp(`\\b(?:${calls})\\([^()]{0,100}\\b${name.text}\\b`)
  return body.length < LONG_FUNCTION && taken !== undefined && taken.test(body)
}

/** So long a function is searched by nobody: the search is repeated for each place in it. */
export const LONG_FUNCTION = 20_000

/** Whether not all parts of a sum are literals. */
export const hasValue = (sum: string): boolean => /[^"\s]\s*\+|\+\s*[^"\s]/.test(sum)

/** Whether a text in the code is the beginning of a statement of SQL. */
export const isSql = (text: string): boolean =>
  /^\W{0,4}(?:select\b[\s\S]{0,400}\bfrom\b|insert\s+into\b|update\b[\s\S]{0,200}\bset\b|delete\s+from\b|drop\s+table\b)/i.test(
    text,
  )
