/** What the parsers themselves list, by another way than the reference takes: the measure of whether it is complete. */
import { type Node, treeReader } from '../grammar.ts'
import { languageOf } from '../language.ts'
import type { Source } from '../source.ts'
import { listIn, methods, objectIn, treeOfOpenApi } from './read-openapi.ts'
import { typescript } from './typescript-teller.ts'

/** A name that a source shows. */
interface Listed {
  readonly name: string
  /** What stands in its signature, in this order: its parameters, or the types of a call. */
  readonly takes: readonly string[]
}

/** Empty where the source can't be read. */
export async function listed(source: Source): Promise<Listed[]> {
  const { path, text } = source
  const language = languageOf(path)
  if (language === 'typescript' || language === 'javascript') return typeScriptExports(path, text)
  if (language === 'python') return pythonDefinitions(text)
  if (/\.proto$/i.test(path))
    return [...withoutComments(text).matchAll(protoNames)].map(([, name = '', asked, given]) => ({
      name,
      takes: [asked, given].flatMap(type => type ?? []),
    }))
  return openApiNames(text)
}

const protoNames =
  /^[ \t]*(?:message|enum|service|rpc)\s+(\w+)(?:\s*\(\s*(?:stream\s+)?([\w.]+)\s*\)\s*returns\s*\(\s*(?:stream\s+)?([\w.]+))?/gm

/** As the checker of types resolves them. */
function typeScriptExports(path: string, text: string): Listed[] {
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
  return (symbol ? checker.getExportsOfModule(symbol) : []).map(shown => {
    const [call] = checker.getTypeOfSymbolAtLocation(shown, source).getCallSignatures()
    const { pos = 0, end = 0 } = shown.valueDeclaration ?? {}
    // Those of a type that is named, or of a call that gives the function, stand elsewhere.
    const isOwn = call?.declaration !== undefined && call.declaration.pos >= pos && call.declaration.end <= end
    // A parameter that is taken apart has no name.
    const takes = isOwn ? call.parameters.flatMap(({ name }) => (name.startsWith('__') ? [] : name)) : []
    return { name: shown.name, takes }
  })
}

async function pythonDefinitions(text: string): Promise<Listed[]> {
  const { read, queryOf } = await treeReader('python')
  return read(text, root => {
    const all = /^__all__\s*=\s*[[(]([^\])]{0,10000})/m.exec(text)?.[1]?.match(/[A-Za-z_]\w*/g)
    return queryOf(definitions)
      .captures(root)
      .flatMap(({ node }) => {
        const isInner = /^(?:function|class)_definition$/
        for (let at = node.parent?.parent ?? null; at; at = at.parent) if (isInner.test(at.type)) return []
        const isShown = all ? all.includes(node.text) : !node.text.startsWith('_')
        return isShown ? { name: node.text, takes: parametersOf(node.parent?.childForFieldName('parameters')) } : []
      })
  })
}

const definitions = '[(function_definition name: (identifier) @name) (class_definition name: (identifier) @name)]'

/** The first name in each: before its type and its default. */
const parametersOf = (parameters: Node | null | undefined): string[] =>
  (parameters?.namedChildren ?? []).flatMap(part => /^\*{0,2}\s*([^\W\d]\w*)/u.exec(part?.text ?? '')?.[1] ?? [])

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

function openApiNames(text: string): Listed[] {
  const { paths, components, definitions: old } = objectIn(treeOfOpenApi(text))
  const operations = Object.entries(objectIn(paths)).flatMap(([path, item]) =>
    methods.flatMap(method => {
      const operation = objectIn(item)[method]
      if (operation === undefined) return []
      const takes = listIn(objectIn(operation).parameters).flatMap(parameter => {
        const { name } = objectIn(parameter)
        return typeof name === 'string' ? name : []
      })
      return { name: `${method.toUpperCase()} ${path}`, takes }
    }),
  )
  const schemas = Object.entries(objectIn(objectIn(components).schemas ?? old)).map(([name, schema]) => ({
    name,
    takes: Object.keys(objectIn(objectIn(schema).properties)),
  }))
  return [...operations, ...schemas]
}
