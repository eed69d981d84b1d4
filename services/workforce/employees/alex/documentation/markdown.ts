/** The reference as Markdown. */
import { code, type Dialect, fenced, indented, inline, prose } from './prose.ts'
import type { Entry, Module } from './reference.ts'
import type { Example, Result } from './result.ts'

export function markdownOf(
  title: string,
  modules: readonly Module[],
  examples: readonly Example[],
  unread: Result['not_read'] = [],
): string {
  const ofFile = Map.groupBy(examples, ({ file }) => file)
  const parts = modules.flatMap(module => {
    const ofName = Map.groupBy(ofFile.get(module.file) ?? [], ({ name }) => name)
    return [
      `## ${code(module.file)}`,
      prose(module.description, dialectOf(module)),
      ...module.entries.flatMap(entry => entryParts(module, entry, ofName.get(entry.name) ?? [])),
      leftOut(module),
    ]
  })
  const list = unread.map(({ file, reason }) => `- ${code(file)}: ${inline(reason)}`)
  const rest = list.length === 0 ? '' : `## Files not read\n\n${list.join('\n')}`
  return `${[`# ${inline(title)}`, ...parts, rest].filter(part => part !== '').join('\n\n')}\n`
}

function entryParts(module: Module, entry: Entry, examples: readonly Example[]): string[] {
  const fence = fenceNames[module.language]
  return [
    `### ${entry.kind} ${code(entry.name)}`,
    ...declarationsOf(entry).flatMap(({ signature, description }) => [
      fenced(signature, fence),
      prose(description, dialectOf(module)),
    ]),
    entry.members.map(member => item(member, '', dialectOf(module))).join('\n'),
    ...examples.flatMap(({ code: text, test, source, line }) => [
      `Example, from ${code(`${source}:${line}`)}, ${code(test)}:`,
      fenced(text, fence),
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

const dialectOf = ({ language }: Module): Dialect => (language === 'python' ? 'docstring' : 'markdown')

/** Each with its own comment where it has one. */
const declarationsOf = ({ signature, description, declarations = [] }: Entry) =>
  declarations.some(({ description: own }) => own !== '') ? declarations : [{ signature, description }]

/** A member as an item of a list, with those inside it. */
function item(member: Entry, indent: string, dialect: Dialect): string {
  const heads = declarationsOf(member).map(({ signature, description }) => {
    return `${indent}- ${spansOfSignature(signature).join(', ')}${said(prose(description, dialect), `${indent}  `)}`
  })
  return [...heads, ...member.members.map(each => item(each, `${indent}  `, dialect))].join('\n')
}

/** Each declaration and decorator of a signature as code; a type over several lines is put on one. */
export function spansOfSignature(signature: string): string[] {
  const lines: string[] = []
  let open = 0
  for (const line of signature.split('\n').map(each => each.trim())) {
    if (open > 0) lines.push(`${lines.pop() ?? ''} ${line}`)
    else lines.push(line)
    for (const [sign] of line.matchAll(/[([{}\])]/g)) open = Math.max(0, open + ('([{'.includes(sign) ? 1 : -1))
  }
  return lines.map(code)
}

/** The first paragraph behind the signature, the rest below it. */
function said(text: string, indent: string): string {
  const end = text.indexOf('\n\n')
  const first = end === -1 ? text : text.slice(0, end)
  if (text === '') return ''
  if (/^(?:`{3}|[-*+] |\d+[.)] )/m.test(first)) return `\n\n${indented(text, indent)}`
  const rest = end === -1 ? '' : `\n\n${indented(text.slice(end + 2), indent)}`
  return `: ${first.replaceAll('\n', ' ')}${rest}`
}

/** What the module has beside what is told, with counts. */
function leftOut({ left_out }: Module): string {
  if (left_out.length === 0) return ''
  const items = left_out.map(({ reason, count, names }) => {
    const more = count > names.length ? ` and ${count - names.length} more` : ''
    return `- ${count} ${inline(count === 1 ? singular(reason) : reason)}: ${names.map(code).join(', ')}${more}`
  })
  return `Not in this reference:\n\n${items.join('\n')}`
}

const singular = (reason: string) =>
  reason.replace(/\b(declaration|definition|member|name|variable)s\b/, '$1').replace(/\bare\b/, 'is')

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
