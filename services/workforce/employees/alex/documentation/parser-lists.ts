/** What the parsers themselves list, by another way than the reference takes: the measure of whether it is complete. */
import type * as TypeScript from 'typescript'
import { type Node, treeReader } from '../grammar.ts'
import { languageOf } from '../language.ts'
import type { Source } from '../source.ts'
import { listIn, methods, objectIn, treeOfOpenApi } from './read-openapi.ts'
import { isPrivateByComment, typescript } from './typescript-teller.ts'

/** A name that a source shows. */
interface Listed {
  readonly name: string
  /** What stands in its signature, in this order: its parameters, or the types of a call. */
  readonly takes: readonly string[]
  /** The source that has it, where this one takes it over with all that is there. */
  readonly from?: string
}

/** With what it takes over from the other sources. Empty where the source can't be read. */
export async function listed(source: Source, sources: readonly Source[]): Promise<Listed[]> {
  const { path, text } = source
  const language = languageOf(path)
  if (language === 'typescript' || language === 'javascript') return typeScriptExports(path, sources)
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
function typeScriptExports(path: string, sources: readonly Source[]): Listed[] {
  const ts = typescript()
  const program = programOf(sources)
  const source = program.getSourceFile(`/${path}`)
  const checker = program.getTypeChecker()
  const symbol = source && checker.getSymbolAtLocation(source)
  return (symbol ? checker.getExportsOfModule(symbol) : []).flatMap(shown => {
    const [call] = checker.getTypeOfSymbolAtLocation(shown, source as TypeScript.SourceFile).getCallSignatures()
    const { pos = 0, end = 0 } = shown.valueDeclaration ?? {}
    // Those of a type that is named, or of a call that gives the function, stand elsewhere.
    const isOwn = call?.declaration !== undefined && call.declaration.pos >= pos && call.declaration.end <= end
    // A parameter that is taken apart has no name.
    const takes = isOwn ? call.parameters.flatMap(({ name }) => (name.startsWith('__') ? [] : name)) : []
    const declaredIn = shown.declarations?.[0]?.getSourceFile().fileName.slice(1)
    const taken = declaredIn === undefined || declaredIn === path ? {} : { from: declaredIn }
    const parts = [...(shown.members?.values() ?? []), ...(isClass(ts, shown) ? (shown.exports?.values() ?? []) : [])]
    return [
      { name: shown.name, takes, ...taken },
      ...parts.flatMap(part =>
        isShownPart(ts, part) ? { name: `${shown.name}.${part.name}`, takes: [], ...taken } : [],
      ),
    ]
  })
}

const isClass = (ts: typeof TypeScript, { flags }: TypeScript.Symbol) => (flags & ts.SymbolFlags.Class) !== 0

/** A property or a method under a name, that is not private and stands in the class or interface itself. */
function isShownPart(ts: typeof TypeScript, { name, declarations: [declaration] = [] }: TypeScript.Symbol): boolean {
  if (!declaration || name.startsWith('__')) return false
  const isPart = ts.isClassElement(declaration) || ts.isTypeElement(declaration)
  return (
    isPart &&
    declaration.name !== undefined &&
    ts.isIdentifier(declaration.name) &&
    !isPrivateByComment(declaration) &&
    (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Private) === 0
  )
}

/** Of all sources, made once for them. */
function programOf(sources: readonly Source[]): TypeScript.Program {
  const known = programs.get(sources)
  if (known) return known
  const ts = typescript()
  const texts = new Map(
    sources.filter(({ path }) => /\.[cm]?[jt]sx?$/i.test(path)).map(({ path, text }) => [`/${path}`, text]),
  )
  const options: TypeScript.CompilerOptions = {
    noLib: true,
    allowJs: true,
    types: [],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    noEmit: true,
  }
  const program = ts.createProgram([...texts.keys()], options, {
    getSourceFile: name => {
      const text = texts.get(name)
      return text === undefined ? undefined : ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true)
    },
    getDefaultLibFileName: () => '',
    writeFile: () => {},
    getCurrentDirectory: () => '/',
    getCanonicalFileName: name => name,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => '\n',
    fileExists: name => texts.has(name),
    readFile: name => texts.get(name),
  })
  programs.set(sources, program)
  return program
}

const programs = new WeakMap<readonly Source[], TypeScript.Program>()

async function pythonDefinitions(text: string): Promise<Listed[]> {
  const { read, queryOf } = await treeReader('python')
  return read(text, root => {
    const all = /^__all__\s*=\s*[[(]([^\])]{0,10000})/m.exec(text)?.[1]?.match(/[A-Za-z_]\w*/g)
    const found = queryOf(definitions)
      .captures(root)
      .flatMap(({ node }): [string, Listed][] => {
        const isInner = /^(?:function|class)_definition$/
        const around: Node[] = []
        for (let at = node.parent?.parent ?? null; at; at = at.parent) if (isInner.test(at.type)) around.push(at)
        const [outer, more] = around
        if (more || outer?.type === 'function_definition') return []
        const top = outer?.childForFieldName('name')?.text ?? node.text
        const isShown = all ? all.includes(top) : !top.startsWith('_')
        const isPart = outer !== undefined
        if (!isShown || (isPart && /^_(?!_\w+__$)/.test(node.text))) return []
        const name = isPart ? `${top}.${node.text}` : node.text
        return [[name, { name, takes: parametersOf(node.parent?.childForFieldName('parameters')) }]]
      })
    // What is defined again counts as it is last.
    return [...new Map(found).values()]
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
