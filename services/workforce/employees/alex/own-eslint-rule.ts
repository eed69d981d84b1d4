/** A rule that no plugin has: places by an ESLint selector, with why it matters and what to do. */
import type { Rule } from './finding.ts'

export interface OwnRule {
  /** https://eslint.org/docs/latest/extend/selectors */
  readonly selector: string
  readonly message: string
  readonly rule: Rule
  /** Further conditions. */
  holds?(node: Node, textOf: (node: Node) => string): boolean
  /** What to write in place of the node. */
  replace?(node: Node, textOf: (node: Node) => string): { readonly node: Node; readonly text: string } | undefined
}

// biome-ignore lint/suspicious/noExplicitAny: a node as the selector found it, of JavaScript or TypeScript.
export type Node = any
