/** Syntax trees by tree-sitter in WebAssembly. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Language as Grammar, Query, Tree, Parser as TreeParser } from '@vscode/tree-sitter-wasm'
import type { Language } from './language.ts'

export type { Node, Query, Tree } from '@vscode/tree-sitter-wasm'

const require = createRequire(import.meta.url)

/** One language, loaded. */
export interface TreeReader {
  queryOf(source: string): Query
  /** Throws where the text is too much for it. The caller deletes the tree. */
  treeOf(text: string): Tree
}

/** Loads the grammar with the first source that needs it. */
export function treeReader(language: Language): Promise<TreeReader> {
  const known = readers.get(language)
  if (known) return known
  const reader = load(language)
  readers.set(language, reader)
  return reader
}

const readers = new Map<Language, Promise<TreeReader>>()

/** What the parser asks between its steps; a text of 400,000 characters takes a few thousand. */
const MOST_STEPS = 50_000

async function load(language: Language): Promise<TreeReader> {
  const { Parser, Language: grammars, Query: TreeQuery } = await runtime()
  const file = require.resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammarNames[language] ?? language}.wasm`)
  const grammar: Grammar = await grammars.load(new Uint8Array(readFileSync(file)))
  return {
    queryOf: source => new TreeQuery(grammar, source),
    treeOf: text => {
      const parser: TreeParser = new Parser()
      let steps = 0
      try {
        parser.setLanguage(grammar)
        const tree = parser.parse(text, null, { progressCallback: () => ++steps > MOST_STEPS })
        if (!tree) throw new RangeError('The text is too much for the parser.')
        return tree
      } finally {
        parser.delete()
      }
    },
  }
}

const grammarNames: Readonly<Partial<Record<Language, string>>> = { csharp: 'c-sharp' }

let initialised: Promise<typeof import('@vscode/tree-sitter-wasm')> | undefined

function runtime(): Promise<typeof import('@vscode/tree-sitter-wasm')> {
  const loaded: typeof import('@vscode/tree-sitter-wasm') = require('@vscode/tree-sitter-wasm')
  initialised ??= loaded.Parser.init().then(() => loaded)
  return initialised
}
