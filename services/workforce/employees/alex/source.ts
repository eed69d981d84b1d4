/** The code of a brief. */
import { type Brief, Refusal } from '../src/brief.ts'
import { textIn } from '../src/text/text-files.ts'
import { type Language, languageOf, nameFor } from './language.ts'

/** A file of code, whole. */
export interface Source {
  readonly path: string
  /** Undefined where it is in none that is known. */
  readonly language: Language | undefined
  readonly text: string
}

/** How kinds of work take code. */
export interface CodeInput {
  readonly code?: string
  readonly path?: string
  readonly language?: Language
  readonly files?: readonly { readonly path: string; readonly text: string; readonly language?: Language }[]
}

const MOST_FILES = 300
const MOST_CHARACTERS = 400_000

/** The sources of a brief in the order given. Refuses paths that lead out, the same path twice, and more than can be read. */
export function sourcesOf({ input, files }: Brief<CodeInput>): Source[] {
  const sources = [
    ...(input.code === undefined ? [] : [codeGiven(input.code, input)]),
    ...(input.files ?? []).map(({ path, text, language }, at) => ({
      path: plainPath(path, `input.files[${at}].path`),
      language: language ?? languageOf(path),
      text,
    })),
    ...files.map((file, at) => ({
      path: plainPath(file.name, `files[${at}]`),
      language: languageOf(file.name),
      text: textIn(file, `files[${at}]`),
    })),
  ]
  const characters = sources.reduce((sum, { text }) => sum + text.length, 0)
  if (sources.length > MOST_FILES || characters > MOST_CHARACTERS)
    throw new Refusal(
      'input.files',
      `${sources.length} files with ${characters} characters are too much at once; give at most ${MOST_FILES} files and ${MOST_CHARACTERS} characters.`,
    )
  const twice = sources.find(({ path }, at) => sources.findIndex(other => other.path === path) < at)
  if (twice) throw new Refusal('input.files', `${twice.path} is given twice.`)
  return sources
}

/** A path below some root, without control characters: it gets into patches, where a line break would begin another file. */
export function plainPath(path: string, param: string): string {
  const isPlain = !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|^[/\\]|^[a-z]:|(^|[/\\])\.\.([/\\]|$)/iu.test(path)
  if (!isPlain || path === '')
    throw new Refusal(param, 'A path is relative to the root of the project, without “..” and control characters.')
  return path
}

function codeGiven(text: string, { path, language }: CodeInput): Source {
  if (path !== undefined) return { path: plainPath(path, 'input.path'), language: language ?? languageOf(path), text }
  if (language === undefined) throw new Refusal('input.language', 'Give the language of the code, or its path.')
  return { path: nameFor(language), language, text }
}
