/** The files of a worked example in a document: each block of code behind a line with the path of its file. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

interface Block {
  readonly path: string
  /** A `diff` changes the file, and anything else is the file. */
  readonly language: string
  readonly code: string
}

export const fileBlocks = (document: string): Block[] =>
  [...document.matchAll(/^`([^`\n]+)`:\n\n```(\w+)\n(.*?)^```$/gms)].map(([, path = '', language = '', code = '']) => ({
    path,
    language,
    code,
  }))

export function writeBlock(folder: string, { path, language, code }: Block): void {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, language === 'diff' ? patched(readFileSync(file, 'utf8'), code, path) : code)
}

/** Parts are separated by `@@`. One without old lines goes to the beginning. */
function patched(text: string, diff: string, path: string): string {
  return diff.split('@@\n').reduce((text, part) => {
    const lines = part.trimEnd().split('\n')
    const linesWith = (signs: string) =>
      lines.flatMap(line => (signs.includes(line.charAt(0)) ? `${line.slice(1)}\n` : [])).join('')
    const old = linesWith(' -')
    if (old === '') return linesWith('+') + text
    const [before, after, ...others] = `\n${text}`.split(`\n${old}`)
    if (before === undefined || after === undefined || others.length > 0)
      throw new Error(`${path} should have these lines once:\n${old}`)
    return `${before}\n${linesWith(' +')}${after}`.slice(1)
  }, text)
}
