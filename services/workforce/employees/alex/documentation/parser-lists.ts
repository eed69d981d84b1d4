/** What the parsers themselves list, by another way than the reference takes: the measure of whether it is complete. */
import { parse } from 'yaml'
import { treeReader } from '../grammar.ts'
import { languageOf } from '../language.ts'
import type { Source } from '../source.ts'
import { methods } from './read-openapi.ts'
import { typescript } from './typescript-teller.ts'

/** Loaded beforehand: a check answers at once. */
const python = await treeReader('python')
const definitions = python.queryOf(
  '[(function_definition name: (identifier) @name) (class_definition name: (identifier) @name)]',
)

/** The names that a source shows; empty where it can't be read. */
export function listed(source: Source): string[] {
  const { path, text } = source
  const language = languageOf(path)
  if (language === 'typescript' || language === 'javascript') return typeScriptExports(path, text)
  if (language === 'python') return pythonDefinitions(text)
  if (/\.proto$/i.test(path))
    return [...withoutComments(text).matchAll(/^\s*(?:message|enum|service|rpc)\s+(\w+)/gm)].map(
      ([, name = '']) => name,
    )
  return openApiNames(text)
}

/** As the checker of types resolves them. */
function typeScriptExports(path: string, text: string): string[] {
  const ts = typescript()
  const source = ts.createSourceFile(`/${path}`, text, ts.ScriptTarget.Latest, true)
  const host: import('typescript').CompilerHost = {
    getSourceFile: name => (name === `/${path}` ? source : undefined),
    getDefaultLibFileName: () => '',
    writeFile: () => {},
    getCurrentDirectory: () => '/',
    getCanonicalFileName: name => name,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => '\n',
    fileExists: () => false,
    readFile: () => undefined,
  }
  const program = ts.createProgram([`/${path}`], { noLib: true, noResolve: true, allowJs: true, types: [] }, host)
  const checker = program.getTypeChecker()
  const symbol = checker.getSymbolAtLocation(source)
  return symbol ? checker.getExportsOfModule(symbol).map(({ name }) => name) : []
}

function pythonDefinitions(text: string): string[] {
  const tree = python.treeOf(text)
  try {
    const all = /^__all__\s*=\s*[[(]([^\])]{0,10000})/m.exec(text)?.[1]?.match(/[A-Za-z_]\w*/g)
    return definitions.captures(tree.rootNode).flatMap(({ node }) => {
      const isInner = /^(?:function|class)_definition$/
      for (let at = node.parent?.parent ?? null; at; at = at.parent) if (isInner.test(at.type)) return []
      return all ? (all.includes(node.text) ? node.text : []) : node.text.startsWith('_') ? [] : node.text
    })
  } finally {
    tree.delete()
  }
}

/** In one pass: a pattern would look for the end of a comment anew from each sign that may begin one. */
function withoutComments(text: string): string {
  let kept = ''
  let from = 0
  for (;;) {
    const open = text.indexOf('/*', from)
    const close = open === -1 ? -1 : text.indexOf('*/', open + 2)
    if (close === -1) return (kept + text.slice(from)).replaceAll(/\/\/[^\n]*/g, '')
    kept += text.slice(from, open)
    from = close + 2
  }
}

function openApiNames(text: string): string[] {
  const {
    paths = {},
    components = {},
    definitions: old = {},
  } = parse(text, { maxAliasCount: 100, logLevel: 'silent' }) ?? {}
  const operations = Object.entries<object>(paths).flatMap(([path, item]) =>
    methods.flatMap(method => (method in item ? `${method.toUpperCase()} ${path}` : [])),
  )
  return [...operations, ...Object.keys(components.schemas ?? old)]
}
