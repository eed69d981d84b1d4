/** A comment of JSDoc or TSDoc, tag by tag, as Markdown. */
import { fencedParts } from './fences.ts'
import { indentation } from './indentation.ts'
import { code, fenced } from './prose.ts'

/** `@param {number} [size=1] text` has the type `number`, the subject `size` and the default `1`. */
export interface DocTag {
  readonly tag: string
  readonly type: string
  readonly subject: string
  readonly isOptional: boolean
  readonly fallback: string
  readonly text: string
}

export interface DocComment {
  readonly text: string
  readonly tags: readonly DocTag[]
}

/** `block` is the whole comment, with its marks. */
export function parseDoc(block: string): DocComment {
  const parts: { tag: string; lines: string[] }[] = [{ tag: '', lines: [] }]
  for (const { lines, fence } of fencedParts(linesOf(block))) {
    if (fence) {
      const [open, close] = fence.marks
      parts.at(-1)?.lines.push(open, ...lines.map(line => fence.indent + line), close)
      continue
    }
    for (const line of lines) {
      const [, tag = '', rest = ''] = /^\s*@([A-Za-z][\w-]*)(.*)$/.exec(line) ?? []
      const isCode = parts.at(-1)?.tag === 'example' && !BLOCK_TAGS.has(tag)
      if (tag !== '' && !isCode) parts.push({ tag, lines: [rest.trimStart()] })
      else parts.at(-1)?.lines.push(line)
    }
  }
  const [head, ...tags] = parts
  return { text: textOf(head?.lines ?? []), tags: tags.map(({ tag, lines }) => parseTag(tag, textOf(lines))) }
}

/** `language` is that of the code in its examples. */
export function describe({ text, tags }: DocComment, language: string): string {
  let written = withLinks(text)
  let isList = false
  for (const tag of tags.filter(each => each.tag !== 'public')) {
    const isItem = tag.tag !== 'example'
    written += `${written === '' ? '' : isItem && isList ? '\n' : '\n\n'}${isItem ? item(tag) : example(tag.text, language)}`
    isList = isItem
  }
  return written
}

/** `size?: number = 1`, as TypeScript writes it. */
export function declared({ subject, type, isOptional, fallback }: DocTag): string {
  const rest = type.startsWith('...') ? '...' : ''
  const told = type.slice(rest.length)
  return `${rest}${subject}${isOptional ? '?' : ''}${told === '' ? '' : `: ${told}`}${fallback === '' ? '' : ` = ${fallback}`}`
}

/** What a tag of an own line is when it stands in the code of an example, which has decorators too. */
const BLOCK_TAGS = new Set(
  'abstract access alias api arg argument async augments author callback category class const constant constructor copyright default defaultValue deprecated enum event example exports extends external file fires function generator global group hidden ignore implements inheritDoc inner internal kind license listens memberof method module name namespace override overload package param private privateRemarks prop property protected public readonly remarks requires return returns sealed see since static summary template this throws todo tutorial type typedef typeParam version virtual yields'.split(
    ' ',
  ),
)

const WITH_SUBJECT = /^(?:param|arg|argument|prop|property|typedef|callback|template|typeParam)$/
const WITH_VALUE = /^(?:default|defaultValue|type|extends|augments|implements|enum|since|version|memberof|alias|name)$/

function linesOf(block: string): string[] {
  const lines = block.slice(3, -2).split(/\r?\n/)
  const [first = '', ...rest] = lines
  const isStarred = rest.some(line => /^[ \t]*\*/.test(line))
  const depth = isStarred ? 0 : indentation(rest)
  return [
    first.replace(/^\*+/, '').trimStart(),
    ...rest.map(line => (isStarred ? line.replace(/^[ \t]*(?:\*+$|\*? ?)/, '') : line.slice(depth))),
  ]
}

/** Without empty lines around it, and without the indentation that all lines but the first have. */
function textOf(lines: readonly string[]): string {
  const [first = '', ...rest] = lines
  const depth = first.trim() === '' ? 0 : indentation(rest.slice(0, fenceAt(rest)))
  return [first, ...rest.map(line => (line.slice(0, depth).trim() === '' ? line.slice(depth) : line))]
    .map(line => line.trimEnd())
    .join('\n')
    .replace(/^\n+/, '')
    .trimEnd()
}

const fenceAt = (lines: readonly string[]) => {
  const at = lines.findIndex(line => /^\s*(?:`{3}|~{3})/.test(line))
  return at === -1 ? lines.length : at
}

function parseTag(tag: string, body: string): DocTag {
  let [type, rest] = typeIn(body)
  let subject = ''
  let fallback = ''
  let isOptional = false
  if (WITH_SUBJECT.test(tag)) {
    const end = rest.startsWith('[') ? closing(rest, '[', ']') : -1
    if (end > 0) {
      const [name = '', ...value] = rest.slice(1, end).split('=')
      subject = name.trim()
      fallback = value.join('=').trim()
      isOptional = true
      rest = rest.slice(end + 1).trimStart()
    } else {
      subject = /^(?:[\w$]+(?:\s*,\s*[\w$]+)+(?=\s|$)|\S+)/.exec(rest)?.[0] ?? ''
      rest = rest.slice(subject.length).trimStart()
    }
    if (type === '') [type, rest] = typeIn(rest)
    // Closure's way of writing an optional one.
    if (type.endsWith('=')) {
      type = type.slice(0, -1)
      isOptional = true
    }
  }
  return { tag, type, subject, isOptional, fallback, text: rest.replace(/^[-–—:]\s+/, '') }
}

/** A type between braces, and what is behind it. */
function typeIn(text: string): [string, string] {
  const end = /^\{(?!@)/.test(text) ? closing(text, '{', '}') : -1
  if (end < 0) return ['', text]
  const type = text.slice(1, end).replaceAll(/\s+/g, ' ').trim()
  return [type, text.slice(end + 1).trimStart()]
}

/** Where the bracket that opens at 0 is closed; -1 where it is not. */
function closing(text: string, open: string, close: string): number {
  let depth = 0
  let quote = ''
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] ?? ''
    if (quote !== '') {
      if (sign === quote) quote = ''
    } else if (/["']/.test(sign) && text.indexOf(sign, at + 1) !== -1) quote = sign
    else if (sign === open) depth++
    else if (sign === close && --depth === 0) return at
  }
  return -1
}

/** Tags that JSDoc knows by two names. */
const ONE_NAME: Readonly<Record<string, string>> = { return: 'returns', arg: 'param', argument: 'param' }

function item(tag: DocTag): string {
  const isValue =
    WITH_VALUE.test(tag.tag) && tag.type === '' && tag.text !== '' && !/[\n`]/.test(tag.text) && tag.text.length <= 80
  const head = tag.subject === '' ? tag.type : declared(tag)
  const said = isValue ? code(tag.text) : withLinks(tag.text)
  return `- ${ONE_NAME[tag.tag] ?? tag.tag}${head === '' ? '' : ` ${code(head)}`}${said === '' ? '' : `: ${said.replaceAll(/\n(?=.)/g, '\n  ')}`}`
}

/** Code alone, or text round fences. */
function example(text: string, language: string): string {
  const [, caption = '', rest = text] = /^<caption>([^<]{0,1000})<\/caption>\s*([\s\S]*)$/.exec(text) ?? []
  const title = caption === '' ? 'Example:' : `Example: ${caption.trim()}`
  if (rest === '') return title
  const isFenced = /^\s*(?:`{3}|~{3})/m.test(rest)
  return isFenced ? `${title}\n\n${withLinks(rest)}` : `${title}\n\n${fenced(dedented(rest), language)}`
}

const dedented = (text: string): string => {
  const lines = text.split('\n')
  const depth = indentation(lines)
  return lines.map(line => line.slice(depth)).join('\n')
}

/** `{@link Name text}` as text and name; blocks of code keep theirs. */
function withLinks(text: string): string {
  if (!text.includes('{@')) return text
  return fencedParts(text.split('\n'))
    .map(({ lines, fence }) => {
      if (!fence) return lines.join('\n').replaceAll(INLINE, linked)
      const [open, close] = fence.marks
      return [open, ...lines.map(line => fence.indent + line), close].join('\n')
    })
    .join('\n')
}

const INLINE = /(?:\[([^[\]]{1,200})\])?\{@(link|linkcode|linkplain|tutorial|code)\s+([^{}]{1,300})\}/g

function linked(_: string, before: string | undefined, tag: string, inside: string): string {
  if (tag === 'code') return code(inside)
  const [target = '', ...words] = inside.trim().split(/\s*\|\s*|\s+/)
  const said = before ?? words.join(' ')
  const shown = /^https?:\/\//.test(target) ? target : code(target)
  return said === '' ? shown : `${said} (${shown})`
}
