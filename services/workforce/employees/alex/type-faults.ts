/** What TypeScript’s compiler has against files, in memory. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type TypeScript from 'typescript'
import { placesIn } from './places-in.ts'
import { nearestName } from './spelling.ts'
import { type Budget, within } from './within.ts'

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
  /** Of a name that is declared nowhere, the only one like it that the file or a file of declarations has. */
  readonly neighbour: string | undefined
}

interface CodeFile {
  readonly path: string
  readonly text: string
}

export const isTyped = ({ path }: CodeFile): boolean => /\.[cm]?tsx?$/i.test(path)

/**
 * Of the files told, those of TypeScript, each seen together with all; at most 500 of each. What the code needs of packages is not
 * here: what comes of that is no error of the code. Throws a `RangeError` where they are nested too deeply, and `TooLong` where
 * their types take more of the processor than the budget has.
 */
export function typeFaults(files: readonly CodeFile[], told: readonly CodeFile[], budget: Budget): TypeFault[] {
  const roots = told.filter(isTyped)
  if (roots.length === 0) return []
  const ts: typeof TypeScript = require('typescript')
  const texts = new Map([...files, ...told].map(({ path, text }) => [`/${path}`, withoutOrders(text)]))
  const declared = files.filter(({ path }) => /\.d\.[cm]?ts$/i.test(path))
  const names = [...new Set([...declared, ...roots].map(({ path }) => `/${path}`))]
  const sourcesOf = (program: TypeScript.Program, files: readonly CodeFile[]) =>
    files.flatMap(({ path }) => program.getSourceFile(`/${path}`) ?? [])
  const { program, checked } = within(budget, () => {
    // A program whose checker was stopped is of no more use: each attempt has its own.
    const program = ts.createProgram(names, optionsOf(ts), hostOf(ts, texts))
    // What is kept of the libraries is made whole before anything may be stopped.
    program.getTypeChecker()
    const sources = sourcesOf(program, roots)
    return () => ({
      program,
      checked: sources.map(source => ({
        source,
        diagnostics: [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)],
      })),
    })
  })
  const ambient = sourcesOf(program, declared).flatMap(source => [...placesIn(ts, source).names])
  return checked.flatMap(({ source, diagnostics }) => {
    const isAway = awayFrom(source)
    const faults = diagnostics.filter(({ code }) => !isAway(code)).slice(0, MOST_A_FILE)
    return faults.length === 0 ? [] : faultsOf(ts, source, faults, ambient)
  })
}

const MOST_A_FILE = 500

function faultsOf(
  ts: typeof TypeScript,
  source: TypeScript.SourceFile,
  faults: readonly TypeScript.Diagnostic[],
  ambient: readonly string[],
): TypeFault[] {
  const { names, isOfType } = placesIn(ts, source)
  const neighbourOf = neighbours([...names, ...ambient].join(' '))
  return faults.map(({ start = 0, length = 0, code, messageText }) => {
    const { line, character } = source.getLineAndCharacterOfPosition(start)
    return {
      path: source.fileName.slice(1),
      line: line + 1,
      column: character + 1,
      endLine: source.getLineAndCharacterOfPosition(start + length).line + 1,
      code,
      message: ts.flattenDiagnosticMessageText(messageText, ' '),
      isOfType: isOfType(start),
      neighbour: OF_NAMES.has(code) ? neighbourOf(source.text.slice(start, start + length)) : undefined,
    }
  })
}

/** Of a name in at most three letters, such as cy or ref, any other is a neighbour: that says nothing. */
function neighbours(names: string): (wrong: string) => string | undefined {
  let left = MOST_COMPARED
  const known = new Map<string, string | undefined>()
  return wrong => {
    if (known.has(wrong)) return known.get(wrong)
    left -= wrong.length * names.length
    const neighbour = wrong.length > 3 && left > 0 ? nearestName(wrong, names) : undefined
    known.set(wrong, neighbour)
    return neighbour
  }
}

/** Pairs of letters in a file: a second, about. A file of names that are all unknown has far more. */
const MOST_COMPARED = 5_000_000

/** `// @ts-ignore` and its like, unreadable to the compiler: this is a second look. */
const withoutOrders = (text: string): string => text.replaceAll(/@ts-(?=nocheck|ignore|expect-error)/g, '@ts_')

/** Modules that can’t be found, their types, and names that come with packages of types. */
const OF_WHAT_IS_AWAY = new Set([2307, 2792, 7016, 2503, 2580, 2581, 2582, 2591, 2592, 2593, 2688, 2875, 7026])

/** Names that are declared nowhere. */
const OF_NAMES = new Set([2304, 2552])

/** A file that refers to types which are not here has names from there. */
function awayFrom({ typeReferenceDirectives, referencedFiles }: TypeScript.SourceFile): (code: number) => boolean {
  const refers = typeReferenceDirectives.length + referencedFiles.length > 0
  return code => OF_WHAT_IS_AWAY.has(code) || (refers && OF_NAMES.has(code))
}

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
