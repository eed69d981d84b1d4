/** Reads a plain text, or Markdown with the HTML that may stand in it. */
import { plainText } from '../../../src/text/plain-text.ts'
import { type Part, partsOf } from './markdown-parts.ts'
import { assertReadable, type Block, flat, type Page, type PageElement } from './page.ts'
import { readHtml } from './read-html.ts'

/** A first line up to this long that is no sentence is the text's heading, where no other is marked as it. */
const LONGEST_HEADING = 100

/** Throws a `Refusal`, of `param`, for a text that nobody reads. */
export function readText(source: string, raw: string, param: string): Page {
  const elements: PageElement[] = []
  const blocks: Block[] = []
  const parts = partsOf(raw)
  const mayHaveTitle = !parts.some(({ level }) => level === 1) && !/<h1[\s>]/i.test(raw)
  for (const [at, part] of parts.entries()) {
    assertReadable({ elements, blocks }, param)
    if (part.kind === 'html') {
      const inner = readHtml(source, part.text, param)
      const kept = inner.elements.filter(({ name }) => ofText.test(name)).map(one => moved(one, part.start))
      const last = kept.findLastIndex(({ name }) => name.startsWith('h'))
      const heading = kept[last]
      if (heading) kept[last] = goingOn(heading, parts, at)
      elements.push(...kept)
      blocks.push(...inner.blocks.map(block => ({ ...moved(block, part.start), text: inlineText(block.text) })))
    } else if (part.kind === 'code') {
      blocks.push(blockOf('pre', part, flat(part.text)))
    } else {
      const level = part.level ?? (mayHaveTitle && blocks.length === 0 && isTitle(part) ? 1 : undefined)
      if (level !== undefined) elements.push(element(`h${level}`, part, headingText(part)))
      elements.push(...taggedAndLinked(source, part, param))
      const text = inlineText(part.content)
      if (text !== '') blocks.push(blockOf(level === undefined ? 'p' : `h${level}`, part, text))
    }
  }
  return { source, kind: 'text', raw, elements, blocks, ids: new Set() }
}

/** A heading without words is read by the alternatives of its pictures. */
const headingText = ({ content }: Part): string => inlineText(content) || inlineText(content.replaceAll(image, '$1'))

/** A heading in tags whose end tag stands behind blank lines has the text up to there. */
function goingOn(heading: PageElement, parts: readonly Part[], at: number): PageElement {
  const here = parts[at]
  if (!here || /<\/h[1-6]/i.test(here.text.slice(heading.tagEnd - here.start))) return heading
  const endTag = new RegExp(`^\\s*</${heading.name}\\b`, 'i')
  const next = parts.slice(at + 1, at + 1 + MOST_WITHIN)
  const end = next.findIndex(({ kind, text }) => kind === 'html' && endTag.test(text))
  const within = next.slice(0, Math.max(end, 0))
  if (within.some(({ kind }) => kind !== 'paragraph')) return heading
  const words = within.map(part => inlineText(part.content)).join(' ')
  const text = flat(`${heading.text} ${words}`) || within.map(headingText).join(' ')
  return { ...heading, text: flat(text) }
}

/** A heading with more paragraphs was never closed. */
const MOST_WITHIN = 8

/** What of HTML counts in a text. */
const ofText = /^(?:h[1-6]|a|img)$/

const moved = <Of extends PageElement | Block>(one: Of, by: number): Of => ({
  ...one,
  start: one.start + by,
  end: one.end + by,
  ...('tagEnd' in one && { tagEnd: one.tagEnd + by }),
})

const blockOf = (tag: string, { start, text: raw }: Part, text: string): Block => ({
  tag,
  text,
  start,
  end: start + raw.length,
  isContent: true,
  isListed: tag === 'p' && /^(?:[-*+|>]|\d+[.)]) /.test(raw.trimStart()),
  beside: '',
})

const isTitle = ({ text }: Part) => !text.includes('\n') && text.length <= LONGEST_HEADING && !/[.!?:;,]\s*$/.test(text)

/** Neither part can hold the sign that begins it, but for an image in a link, so nothing is read twice. */
const image = /!\[([^[\]\n]*)\]\(([^()\s]*)(?:\s+"[^"\n]{0,300}")?\)/g
const link =
  /(?<!!)\[((?:!\[[^[\]\n]*\]\([^()\s]*(?:\s+"[^"\n]{0,300}")?\)|[^[\]\n])*)\]\(([^()\s]*)(?:\s+"[^"\n]{0,300}")?\)/g
/** `[words][name]`, whose address stands elsewhere. */
const byName = /(?<![\w\]!])\[([^[\]\n]{1,300})\]\[[^[\]\n]{0,200}\]/g

/** Code between as many ticks on both sides, with other runs of ticks within. */
const span = /(?<!`)(`{1,3})(?!`)([\s\S]{1,500}?)(?<!`)\1(?!`)/g

function taggedAndLinked(source: string, { start, text }: Part, param: string): PageElement[] {
  const placed = (found: RegExpExecArray, name: string, attributes: Record<string, string>) =>
    element(name, { start: start + found.index, text: found[0] }, (found[1] ?? '').replaceAll(image, '$1'), attributes)
  const written = [
    ...Array.from(text.matchAll(image), found => placed(found, 'img', { src: found[2] ?? '', alt: found[1] ?? '' })),
    ...Array.from(text.matchAll(link), found => placed(found, 'a', { href: found[2] ?? '' })),
  ]
  // What stands in code is no tag.
  const shown = text.replaceAll(span, code => ' '.repeat(code.length))
  const tagged = /<(?:a|img|h[1-6])[\s>]/i.test(shown)
    ? readHtml(source, shown, param).elements.filter(({ name }) => ofText.test(name))
    : []
  return [...written, ...tagged.map(one => moved(one, start))].toSorted((a, b) => a.start - b.start)
}

const element = (
  name: string,
  { start, text: raw }: Pick<Part, 'start' | 'text'>,
  text: string,
  attributes: Record<string, string> = {},
): PageElement => ({
  name,
  attributes: new Map(Object.entries(attributes)),
  start,
  tagEnd: start + raw.length,
  end: start + raw.length,
  text: flat(plainText(text)),
  inHead: false,
  isContent: true,
})

/** As a reader sees it: the words of links, no pictures, no marks of emphasis and code. */
const inlineText = (text: string): string =>
  flat(
    plainText(
      flat(text)
        .replaceAll(image, '')
        .replaceAll(link, '$1')
        .replaceAll(byName, '$1')
        .replaceAll(/<(https?:\/\/[^\s<>]{1,2000})>/g, '$1')
        .replaceAll(span, (_, _marks, code: string) => code.replaceAll('&', '&amp;').replaceAll('<', '&lt;')),
    )
      .replaceAll(/(\*\*|__)(?=\S)([^*_\n]{1,500}?)(?<=\S)\1/g, '$2')
      .replaceAll(/(?<![\w*])\*(?=[^\s*])([^*\n]{1,300}?)(?<=[^\s*])\*(?![\w*])/g, '$1')
      .replaceAll(/(?<!\w)_(?=[^\s_])([^_\n]{1,300}?)(?<=[^\s_])_(?!\w)/g, '$1'),
  )
