/** Syntax trees by tree-sitter in WebAssembly. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Language as Grammar, Node, Query } from '@vscode/tree-sitter-wasm'
import type { Language } from './language.ts'

export type { Node, Query } from '@vscode/tree-sitter-wasm'

const require = createRequire(import.meta.url)

/** One language, loaded. */
export interface TreeReader {
  /** Compiled once. */
  queryOf(source: string): Query
  /** What `tell` says of the tree, which is gone afterwards. Throws a `RangeError` where the text is too much for the parser. */
  read<Told>(text: string, tell: (root: Node) => Told): Told
}

/** Loads the grammar with the first source that needs it. To be asked for again with each source: a text may break the parser. */
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
  const loadedWith = initialised
  const file = require.resolve(`${PACKAGE}/wasm/tree-sitter-${grammarNames[language] ?? language}.wasm`)
  const grammar: Grammar = await grammars.load(new Uint8Array(readFileSync(file)))
  const queries = new Map<string, Query>()

  function parsed<Told>(text: string, tell: (root: Node) => Told): Told {
    const parser = new Parser()
    let steps = 0
    try {
      parser.setLanguage(grammar)
      const tree = parser.parse(text, null, { progressCallback: () => ++steps > MOST_STEPS })
      if (!tree) throw new RangeError(TOO_MUCH)
      try {
        return tell(tree.rootNode)
      } finally {
        tree.delete()
      }
    } finally {
      parser.delete()
    }
  }

  return {
    queryOf(source) {
      const query = queries.get(source) ?? new TreeQuery(grammar, source)
      queries.set(source, query)
      return query
    },
    read(text, tell) {
      if (initialised !== loadedWith) throw new RangeError(TOO_MUCH)
      try {
        return parsed(text, tell)
      } catch (error) {
        if (!(error instanceof Error && error.name === 'RuntimeError')) throw error
        forget()
        throw new RangeError(TOO_MUCH)
      }
    },
  }
}

const PACKAGE = '@vscode/tree-sitter-wasm'
const TOO_MUCH = 'The text is too much for the parser.'

const grammarNames: Readonly<Partial<Record<Language, string>>> = { csharp: 'c-sharp' }

let initialised: Promise<typeof import('@vscode/tree-sitter-wasm')> | undefined

function runtime(): Promise<typeof import('@vscode/tree-sitter-wasm')> {
  const loaded: typeof import('@vscode/tree-sitter-wasm') = require(PACKAGE)
  initialised ??= loaded.Parser.init().then(() => loaded)
  return initialised
}

/** After a fault in WebAssembly nothing in its memory holds, of whatever language. The package keeps one instance as long as it is loaded. */
function forget(): void {
  delete require.cache[require.resolve(PACKAGE)]
  initialised = undefined
  readers.clear()
}
