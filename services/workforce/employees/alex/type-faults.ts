/** What TypeScript’s compiler has against files, in memory. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type TypeScript from 'typescript'

const require = createRequire(import.meta.url)

export interface TypeFault {
  readonly path: string
  /** From 1, as the column, which counts UTF-16 units. */
  readonly line: number
  readonly column: number
  readonly endLine: number
  /** As in TS2551. */
  readonly code: number
  readonly message: string
  /** Whether it is said of the name of a type: that runs nowhere. */
  readonly isOfType: boolean
}

interface CodeFile {
  readonly path: string
  readonly text: string
}

export const isTyped = ({ path }: CodeFile): boolean => /\.[cm]?tsx?$/i.test(path)

/**
 * Of the files told, those of TypeScript, each seen together with all. What the code needs of packages is not here: what comes
 * of that is no error of the code. Throws a `RangeError` where they are nested too deeply.
 */
export function typeFaults(files: readonly CodeFile[], told: readonly CodeFile[]): TypeFault[] {
  const roots = told.filter(isTyped)
  if (roots.length === 0) return []
  const ts: typeof TypeScript = require('typescript')
  const texts = new Map([...files, ...told].map(({ path, text }) => [`/${path}`, withoutOrders(text)]))
  const declared = files.filter(({ path }) => /\.d\.[cm]?ts$/i.test(path))
  const program = ts.createProgram(
    [...new Set([...declared, ...roots].map(({ path }) => `/${path}`))],
    optionsOf(ts),
    hostOf(ts, texts),
  )
  return roots.flatMap(({ path }) => {
    const source = program.getSourceFile(`/${path}`)
    if (source === undefined) return []
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
      .filter(({ code }) => !OF_WHAT_IS_AWAY.has(code))
      .map(({ start = 0, length = 0, code, messageText }): TypeFault => {
        const { line, character } = source.getLineAndCharacterOfPosition(start)
        return {
          path,
          line: line + 1,
          column: character + 1,
          endLine: source.getLineAndCharacterOfPosition(start + length).line + 1,
          code,
          message: ts.flattenDiagnosticMessageText(messageText, ' '),
          isOfType: isOfType(ts, source, start),
        }
      })
  })
}

/** `// @ts-ignore` and its like, unreadable to the compiler: this is a second look. */
const withoutOrders = (text: string): string => text.replaceAll(/@ts-(?=nocheck|ignore|expect-error)/g, '@ts_')

function isOfType(ts: typeof TypeScript, source: TypeScript.SourceFile, start: number): boolean {
  let node: TypeScript.Node = source
  for (;;) {
    const inner = ts.forEachChild(node, child =>
      child.getStart(source) <= start && start < child.end ? child : undefined,
    )
    if (inner === undefined) return false
    if (ts.isTypeNode(inner)) return true
    node = inner
  }
}

/** Modules that can’t be found, their types, and names that come with packages of types. */
const OF_WHAT_IS_AWAY = new Set([2307, 2792, 7016, 2503, 2580, 2581, 2582, 2591, 2592, 2593, 2688, 2875, 7026])

const optionsOf = (ts: typeof TypeScript): TypeScript.CompilerOptions => ({
  strict: true,
  noEmit: true,
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  moduleDetection: ts.ModuleDetectionKind.Force,
  jsx: ts.JsxEmit.Preserve,
  allowImportingTsExtensions: true,
  allowJs: true,
  esModuleInterop: true,
  skipLibCheck: true,
  types: [],
})

/** Sees the files and the compiler’s own libraries, nothing else. */
function hostOf(ts: typeof TypeScript, files: ReadonlyMap<string, string>): TypeScript.CompilerHost {
  const libraries = dirname(require.resolve('typescript'))
  const textOf = (path: string) =>
    path.startsWith(LIBRARIES) ? libraryText(join(libraries, path.slice(LIBRARIES.length))) : files.get(path)
  const folders = new Set([...files.keys()].flatMap(path => parentsOf(path)))
  return {
    fileExists: path => textOf(path) !== undefined,
    readFile: textOf,
    directoryExists: path => folders.has(path),
    getDirectories: () => [],
    getSourceFile(path, options) {
      const text = textOf(path)
      if (text === undefined) return undefined
      if (!path.startsWith(LIBRARIES)) return ts.createSourceFile(path, text, options)
      const known = parsed.get(path) ?? ts.createSourceFile(path, text, options)
      parsed.set(path, known)
      return known
    },
    getDefaultLibFileName: options => `${LIBRARIES}${ts.getDefaultLibFileName(options)}`,
    getCurrentDirectory: () => '/',
    getCanonicalFileName: path => path,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => '\n',
    writeFile: () => {},
  }
}

/** No file of an answer can be called that: its path has no colon. */
const LIBRARIES = '/lib:/'

/** The libraries, read once. */
const parsed = new Map<string, TypeScript.SourceFile>()

function libraryText(path: string): string | undefined {
  if (!/[\\/]lib(\.[a-z0-9]+)*\.d\.ts$/.test(path)) return undefined
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

const parentsOf = (path: string): string[] =>
  path
    .split('/')
    .slice(0, -1)
    .map((_, at, parts) => parts.slice(0, at + 1).join('/') || '/')
