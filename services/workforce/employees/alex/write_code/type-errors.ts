/** What TypeScript’s compiler has against files, in memory. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type TypeScript from 'typescript'
import type { CodeFile } from './result.ts'

const require = createRequire(import.meta.url)

/**
 * Each error as `path:line TS2322 message`, of the files written; undefined where none of them is TypeScript. What the code
 * needs of packages is not here: what comes of that is no error of the code. One line alone where the compiler can't cope with it.
 */
export function typeErrors(given: readonly CodeFile[], written: readonly CodeFile[]): string[] | undefined {
  const roots = written.filter(({ path }) => /\.[cm]?tsx?$/i.test(path))
  if (roots.length === 0) return undefined
  try {
    return errorsOf(roots, given, written)
  } catch (error) {
    if (error instanceof RangeError) return ['It is nested too deeply for the compiler.']
    throw error
  }
}

function errorsOf(roots: readonly CodeFile[], given: readonly CodeFile[], written: readonly CodeFile[]): string[] {
  const ts: typeof TypeScript = require('typescript')
  const files = new Map([...given, ...written].map(({ path, text }) => [`/${path}`, text]))
  const program = ts.createProgram(
    roots.map(({ path }) => `/${path}`),
    optionsOf(ts),
    hostOf(ts, files),
  )
  return roots.flatMap(({ path }) => {
    const source = program.getSourceFile(`/${path}`)
    if (source === undefined) return []
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
      .filter(({ code }) => !OF_WHAT_IS_AWAY.has(code))
      .map(({ start = 0, code, messageText }) => {
        const { line } = source.getLineAndCharacterOfPosition(start)
        return `${path}:${line + 1} TS${code} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
      })
  })
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
