/** The compiler's own parser and printer, for what writes entries of one source. */
import { createRequire } from 'node:module'
import type * as TypeScript from 'typescript'
import { type DocTag, describe, parseDoc } from './jsdoc.ts'
import { type Entry, type LeftOutList, short } from './reference.ts'

const require = createRequire(import.meta.url)

let compiler: typeof TypeScript | undefined

/** The compiler, loaded with the first source that needs it. */
export function typescript(): typeof TypeScript {
  compiler ??= require('typescript') as typeof TypeScript
  return compiler
}

/** So many characters of a head or a type are shown. */
const LONGEST = 4000

/** What writes entries of one source. */
export interface Teller {
  readonly entry: (
    kind: string,
    name: string,
    node: TypeScript.Node,
    signature: string,
    members?: readonly Entry[],
  ) => Entry
  /** What stands in the source, evenly spaced; a part of it where it is long. */
  readonly print: (node: TypeScript.Node) => string
  /** `bare` is the node without its body, which begins at `end`. */
  readonly head: (node: TypeScript.Node, bare: TypeScript.Node, end: number) => string
  /** Says what is not told. */
  readonly leave: LeftOutList['add']
}

export function createTeller(source: TypeScript.SourceFile, leave: LeftOutList['add']): Teller {
  const ts = typescript()
  const printer = ts.createPrinter({ removeComments: true })
  const evenly = (node: TypeScript.Node) => printer.printNode(ts.EmitHint.Unspecified, node, source)
  // The printer takes minutes for what is nested a thousandfold.
  const partly = (node: TypeScript.Node) =>
    short(source.text.slice(node.getStart(source), node.getStart(source) + LONGEST))
  return {
    print: node => (node.end - node.pos > LONGEST ? partly(node) : evenly(node)),
    head: (node, bare, end) => (end - node.getStart(source) > LONGEST ? partly(node) : evenly(bare)),
    entry: (kind, name, node, signature, members = []) => ({
      kind,
      name,
      signature: signature.replace(/;$/, ''),
      line: source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1,
      description: commentOf(node),
      members,
    }),
    leave,
  }
}

/** Modifiers that say something to who uses it. */
export function kept(node: TypeScript.HasModifiers): TypeScript.Modifier[] {
  const { SyntaxKind, getModifiers } = typescript()
  const dropped = [
    SyntaxKind.ExportKeyword,
    SyntaxKind.DefaultKeyword,
    SyntaxKind.DeclareKeyword,
    SyntaxKind.PublicKeyword,
    SyntaxKind.OverrideKeyword,
  ]
  return (getModifiers(node) ?? []).filter(({ kind }) => !dropped.includes(kind))
}

/** The comment that stands directly before it. One that defines a type is of that type. */
function commentOf(node: TypeScript.Node): string {
  const ts = typescript()
  const block = ts.getJSDocCommentsAndTags(node).findLast(ts.isJSDoc)
  const written = block?.getText() ?? besideBrace(node)
  if (written === undefined) return ''
  const comment = parseDoc(written)
  return comment.tags.some(definesType) ? '' : describe(comment, exampleLanguage(node.getSourceFile().fileName))
}

/** To the compiler a comment behind a brace on one line, `{ /** Bends. *\/ bend() {} }`, is of the brace. */
function besideBrace(node: TypeScript.Node): string | undefined {
  const { text } = node.getSourceFile()
  const last = typescript().getTrailingCommentRanges(text, node.pos)?.at(-1)
  if (!last || !/[{;}]/.test(text[node.pos - 1] ?? '')) return undefined
  const isDirect = /^[ \t]*$/.test(text.slice(last.end, node.getStart()))
  return isDirect && text.startsWith('/**', last.pos) ? text.slice(last.pos, last.end) : undefined
}

/** `@private` and `@package` of JSDoc, `@internal` of TSDoc, and the older `@api private`. */
export function isPrivateByComment(node: TypeScript.Node): boolean {
  const ts = typescript()
  const block = ts.getJSDocCommentsAndTags(node).findLast(ts.isJSDoc)
  return (block?.tags ?? []).some(
    ({ tagName, comment }) =>
      /^(?:private|package|internal)$/.test(tagName.text) ||
      (/^(?:api|access)$/.test(tagName.text) && /^(?:private|package)\b/.test(ts.getTextOfJSDocComment(comment) ?? '')),
  )
}

export const definesType = ({ tag }: DocTag): boolean => tag === 'typedef' || tag === 'callback'

export const exampleLanguage = (file: string): string => (/\.[cm]?tsx?$/i.test(file) ? 'ts' : 'js')
