/** Which language a file is in. */

export type Language = 'javascript' | 'typescript' | 'python' | 'go' | 'java' | 'ruby' | 'php' | 'rust' | 'csharp'

/** By the ending of its path; undefined where it is none of those that are known. */
export const languageOf = (path: string): Language | undefined =>
  byEnding.get(/\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '')

/** A path for code that came without one. */
export const nameFor = (language: Language): string =>
  `code.${[...byEnding].find(([, candidate]) => candidate === language)?.[0]}`

const byEnding: ReadonlyMap<string, Language> = new Map([
  ['js', 'javascript'],
  ['jsx', 'javascript'],
  ['mjs', 'javascript'],
  ['cjs', 'javascript'],
  ['ts', 'typescript'],
  ['tsx', 'typescript'],
  ['mts', 'typescript'],
  ['cts', 'typescript'],
  ['py', 'python'],
  ['pyi', 'python'],
  ['go', 'go'],
  ['java', 'java'],
  ['rb', 'ruby'],
  ['php', 'php'],
  ['rs', 'rust'],
  ['cs', 'csharp'],
])
