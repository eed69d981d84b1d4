/** The reference as Markdown. What the source says is text in it: no comment or name can become HTML, a link, a heading or a fence. */
import type { Entry, Module } from './reference.ts'
import type { Example } from './result.ts'

export function markdownOf(title: string, modules: readonly Module[], examples: readonly Example[]): string {
  const ofFile = Map.groupBy(examples, ({ file }) => file)
  const parts = modules.flatMap(module => {
    const ofName = Map.groupBy(ofFile.get(module.file) ?? [], ({ name }) => name)
    return [
      `## ${code(module.file)}`,
      prose(module.description),
      ...module.entries.flatMap(entry => entryParts(module, entry, ofName.get(entry.name) ?? [])),
    ]
  })
  return `${[`# ${prose(title).replaceAll('\n', ' ')}`, ...parts].filter(part => part !== '').join('\n\n')}\n`
}

function entryParts(
  { language }: Module,
  { kind, name, signature, description, members }: Entry,
  examples: readonly Example[],
): string[] {
  return [
    `### ${kind} ${code(name)}`,
    fenced(signature, fenceNames[language]),
    prose(description),
    members.map(member => item(member, '')).join('\n'),
    ...examples.flatMap(({ code: text, test, source, line }) => [
      `Example, from ${code(`${source}:${line}`)}, ${code(test)}:`,
      fenced(text, fenceNames[language]),
    ]),
  ]
}

const fenceNames: Readonly<Record<Module['language'], string>> = {
  typescript: 'ts',
  javascript: 'js',
  python: 'python',
  openapi: '',
  proto: 'proto',
}

/** A member as an item of a list, with those inside it. */
function item({ signature, description, members }: Entry, indent: string): string {
  const [first = '', ...more] = signature.split('\n').map(line => code(line.trim()))
  const said = prose(description)
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
    .join(' ')
  const head = `${indent}- ${[first, ...more].join(', ')}${said === '' ? '' : `: ${said}`}`
  return [head, ...members.map(member => item(member, `${indent}  `))].join('\n')
}

/** As code on one line: between more backticks than stand in it. */
export function code(text: string): string {
  const flat = visible(text).replaceAll(/\s+/g, ' ').trim()
  const fence = '`'.repeat(longestRun(flat) + 1)
  const pad = flat === '' || /^`|`$/.test(flat) ? ' ' : ''
  return `${fence}${pad}${flat}${pad}${fence}`
}

/** As a block of code: between more backticks than stand in it. */
export function fenced(text: string, language: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1))
  return `${fence}${language}\n${visible(text)}\n${fence}`
}

/** The code that stands in the reference: what is between fences, and in the items of lists what they begin with. */
export function codeIn(markdown: string): { readonly blocks: Set<string>; readonly spans: Set<string> } {
  const blocks = new Set<string>()
  const spans = new Set<string>()
  let open: { readonly fence: string; readonly lines: string[] } | undefined
  for (const line of markdown.split('\n')) {
    if (open && line !== open.fence) open.lines.push(line)
    else if (open) {
      blocks.add(open.lines.join('\n'))
      open = undefined
    } else {
      const fence = /^`{3,}/.exec(line)?.[0]
      if (fence !== undefined) open = { fence, lines: [] }
      else for (const span of spansOf(line)) spans.add(span)
    }
  }
  return { blocks, spans }
}

/** Of an item, with commas between them. */
function* spansOf(line: string): Generator<string> {
  let at = /^ *- /.exec(line)?.[0].length ?? line.length
  while (line[at] === '`') {
    const fence = /^`+/.exec(line.slice(at))?.[0] ?? ''
    const end = line.indexOf(fence, at + fence.length)
    if (end === -1) return
    yield line.slice(at, end + fence.length)
    at = end + fence.length + ', '.length
  }
}

const longestRun = (text: string) => (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0)

/** Control and direction characters show other text than what is there. */
export const visible = (text: string): string => text.replaceAll(/(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')

/** A comment: its paragraphs, lists and plain code stay, and everything else is text. */
export function prose(text: string): string {
  return visible(text)
    .replaceAll(/`{2,}/g, '`')
    .split(/(`[^`]*`)/)
    .map((part, at) => (at % 2 === 1 && !/[<>&\\]|\][([:]|\n\s*\n/.test(part) ? part : escaped(part)))
    .join('')
    .split('\n')
    .map(line => line.trim().replace(/^(#|=|~|>|\||-{2,}|\*{2,}|_{2,}|(?:[-*_] ?){3,}$)/, '\\$1'))
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}

const escaped = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[\\`[\]|]/g, sign => `\\${sign}`)
    .replaceAll(/\b(https?|javascript|data|vbscript|file):/gi, '$1&#58;')
