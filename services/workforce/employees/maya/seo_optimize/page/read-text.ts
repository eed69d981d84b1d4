/** Reads a plain text, or one with Markdown's headings, links and images. */
import { plainText } from '../../../src/text/plain-text.ts'
import { assertReadable, type Block, flat, type Page, type PageElement } from './page.ts'

/** A first line up to this long that is no sentence is the text's heading. */
const LONGEST_HEADING = 100

/** Throws a `Refusal`, of `param`, for a text that nobody reads. */
export function readText(source: string, raw: string, param: string): Page {
  const elements: PageElement[] = []
  const blocks: Block[] = []
  for (const paragraph of paragraphsOf(raw)) {
    assertReadable({ elements, blocks }, param)
    const heading = headingOf(paragraph, blocks.length === 0)
    if (heading) elements.push(element(heading.name, paragraph, heading.text))
    for (const found of paragraph.text.matchAll(linkOrImage)) {
      const [whole, mark, text = '', address = ''] = found
      const start = paragraph.start + found.index
      const attributes = mark === '!' ? { src: address, alt: text } : { href: address }
      elements.push(element(mark === '!' ? 'img' : 'a', { start, text: whole }, text, attributes))
    }
    const text = flat(plainText((heading?.text ?? paragraph.text).replaceAll(linkOrImage, '$2')))
    if (text !== '')
      blocks.push({
        tag: heading?.name ?? 'p',
        text,
        start: paragraph.start,
        end: paragraph.start + paragraph.text.length,
        isContent: true,
        isListed: /^(?:[-*+|>]|\d+[.)]) /.test(paragraph.text.trimStart()),
        beside: '',
      })
  }
  return { source, kind: 'text', raw, elements, blocks, ids: new Set() }
}

interface Paragraph {
  readonly start: number
  readonly text: string
}

/** Neither part can hold the sign that begins it, so nothing is read twice. */
const linkOrImage = /(!?)\[([^[\]\n]*)\]\(([^()\s]*)\)/g

/** Ends at an empty line, and before and after a heading. */
function paragraphsOf(raw: string): Paragraph[] {
  const paragraphs: Paragraph[] = []
  let start = 0
  let end = -1
  const close = () => {
    if (end > start) paragraphs.push({ start, text: raw.slice(start, end) })
    end = -1
  }
  for (let at = 0; at < raw.length; ) {
    const stop = raw.indexOf('\n', at)
    const next = stop === -1 ? raw.length : stop
    const isHeading = /^#{1,6}[ \t]/.test(raw.slice(at, at + 8))
    const isEmpty = !/\S/.test(raw.slice(at, Math.min(next, at + 1_000)))
    if (isHeading || isEmpty) close()
    if (!isEmpty) {
      if (end === -1) start = at
      end = next
    }
    if (isHeading) close()
    at = next + 1
  }
  close()
  return paragraphs
}

function headingOf({ text }: Paragraph, isFirst: boolean): { name: string; text: string } | undefined {
  const marks = /^#{1,6}(?=[ \t])/.exec(text)?.[0]
  if (marks) return { name: `h${marks.length}`, text: flat(plainText(text.slice(marks.length))) }
  const isTitle = isFirst && !text.includes('\n') && text.length <= LONGEST_HEADING && !/[.!?:;,]\s*$/.test(text)
  return isTitle ? { name: 'h1', text: flat(plainText(text)) } : undefined
}

const element = (
  name: string,
  { start, text: raw }: Paragraph,
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
