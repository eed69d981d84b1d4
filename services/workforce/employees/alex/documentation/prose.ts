/** Comments as Markdown: no comment or name can become HTML, a link, a heading or a fence that it does not close. */
import { fencedParts } from './fences.ts'
import { indentation } from './indentation.ts'

/** Markdown takes an indented line as the rest of its paragraph; in a docstring its indentation says something. */
export type Dialect = 'markdown' | 'docstring'

/** A comment: its paragraphs, lists and code stay, and everything else is text. */
export function prose(text: string, dialect: Dialect = 'markdown'): string {
  return fencedParts(visible(text).split('\n'))
    .flatMap(({ lines, fence }) =>
      fence ? [indented(fenced(lines.join('\n'), fence.language), fence.indent)] : blocksOf(lines, dialect),
    )
    .join('\n\n')
    .trim()
}

/** On one line, without blocks. */
export const inline = (text: string): string =>
  escapedText(visible(text))
    .replaceAll(/\s*\n\s*/g, ' ')
    .trim()

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

/** Control and direction characters show other text than what is there. */
export const visible = (text: string): string => text.replaceAll(/(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')

export const indented = (text: string, indent: string): string =>
  indent === '' ? text : text.replaceAll(/^(?=.)/gm, indent)

/** Paragraphs, and the sessions of an interpreter that a docstring shows. */
function blocksOf(lines: readonly string[], dialect: Dialect): string[] {
  const blocks: string[] = []
  let outside: string[] = []
  for (let at = 0; at < lines.length; at++) {
    const indent = dialect === 'docstring' ? /^(\s*)>>> /.exec(lines[at] ?? '')?.[1] : undefined
    if (indent === undefined) {
      outside.push(lines[at] ?? '')
      continue
    }
    blocks.push(...paragraphsOf(outside, dialect))
    outside = []
    const session: string[] = []
    for (; at < lines.length && lines[at]?.trim() !== ''; at++) session.push((lines[at] ?? '').slice(indent.length))
    blocks.push(fenced(session.join('\n'), 'pycon'))
  }
  return [...blocks, ...paragraphsOf(outside, dialect)]
}

const LIST_ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s/

function paragraphsOf(lines: readonly string[], dialect: Dialect): string[] {
  const blocks: string[] = []
  let isList = false
  // The lines of a docstring whose indentation is kept, as long as indented ones follow.
  let kept: string[] | undefined
  const close = () => {
    if (kept) blocks.push(fenced(kept.join('\n'), 'text'))
    kept = undefined
  }
  for (const paragraph of split(lines)) {
    const [first = ''] = paragraph
    const isIndented = paragraph.every(line => /^\s/.test(line))
    const begins = dialect === 'markdown' ? paragraph.some(line => LIST_ITEM.test(line)) : LIST_ITEM.test(first)
    isList = begins || (isList && isIndented)
    if (kept && /^\s/.test(first)) kept.push('', ...paragraph)
    else {
      close()
      const isCode = isIndented && !isList && (dialect === 'docstring' || isLaidOut(paragraph))
      const isShaped = dialect === 'docstring' && !isList && paragraph.some(line => /^\s/.test(line))
      if (isCode) blocks.push(fenced(paragraph.map(line => line.slice(indentation(paragraph))).join('\n'), 'text'))
      else if (isShaped) kept = [...paragraph]
      else blocks.push(textBlock(dialect === 'docstring' ? withoutUnderline(paragraph) : paragraph, isList))
    }
  }
  close()
  return blocks
}

/** The title of a section of NumPy whose contents are a block of another kind. */
const withoutUnderline = (paragraph: readonly string[]): readonly string[] =>
  /^[-=~]{3,}$/.test(paragraph[1] ?? '') ? [`${paragraph[0]?.replace(/:$/, '')}:`, ...paragraph.slice(2)] : paragraph

/** Further in than a paragraph is by chance. */
const isLaidOut = (lines: readonly string[]) =>
  indentation(lines) >= 2 || lines.some(line => line.search(/\S/) > indentation(lines))

function split(lines: readonly string[]): string[][] {
  const paragraphs: string[][] = [[]]
  for (const line of lines) {
    if (line.trim() !== '') paragraphs.at(-1)?.push(line.trimEnd())
    else if (paragraphs.at(-1)?.length) paragraphs.push([])
  }
  return paragraphs.filter(({ length }) => length > 0)
}

function textBlock(paragraph: readonly string[], isList: boolean): string {
  return escapedText(paragraph.join('\n'))
    .split('\n')
    .map(line => {
      const text = line.trim().replace(/^(#|=|~|>|\||-{2,}|\*{2,}|_{2,}|(?:[-*_] ?){3,}$)/, '\\$1')
      return isList ? `${/^\s*/.exec(line)?.[0] ?? ''}${text}` : text
    })
    .join('\n')
}

/** Spans of code stay code, and the rest is text. */
function escapedText(text: string): string {
  let written = ''
  let from = 0
  for (const { 0: run, index } of text.matchAll(/`+/g)) {
    if (index < from) continue
    const backslashes = /\\*$/.exec(text.slice(Math.max(from, index - 100), index))?.[0].length ?? 0
    const end = backslashes % 2 === 1 ? -1 : closingRun(text, index + run.length, run)
    if (end === -1) continue
    written += escaped(text.slice(from, index)) + code(text.slice(index + run.length, end))
    from = end + run.length
  }
  return written + escaped(text.slice(from))
}

/** A span of code ends with as many backticks as it begins with. */
function closingRun(text: string, from: number, run: string): number {
  let end = text.indexOf(run, from)
  while (end !== -1 && (text[end - 1] === '`' || text[end + run.length] === '`')) {
    end += run.length
    while (text[end] === '`') end++
    end = text.indexOf(run, end)
  }
  return end
}

const ADDRESS = /(https?:\/\/[^\s<>"'`\\|[\]{}]+)/gi

const escaped = (text: string): string =>
  text
    .split(ADDRESS)
    .map((part, at) => (at % 2 === 1 ? part.replaceAll(/&(?=#?\w+;)/g, '&amp;') : escapedSigns(part)))
    .join('')

const escapedSigns = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[\\`[\]|]/g, sign => `\\${sign}`)
    .replaceAll(/\b(javascript|vbscript|data(?=:\w+\/)):/gi, '$1&#58;')

const longestRun = (text: string) => (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0)
