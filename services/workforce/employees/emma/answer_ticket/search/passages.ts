/** The knowledge given, in pieces that answer a question each. */
import { sentencesOf } from '../../../src/text/sentences.ts'
import { isContents } from './contents.ts'
import { type Block, outlineOf } from './outline.ts'

/** A text that was given as knowledge. */
export interface Source {
  /** As the brief names it. */
  readonly name: string
  readonly text: string
}

export interface Passage {
  readonly source: string
  /** The headings above its own, outermost first. */
  readonly sections: readonly string[]
  /** Its own heading, or the name of its source. */
  readonly heading: string
  /** Word for word, but with one space wherever there was more outside of code. */
  readonly text: string
  readonly blocks: readonly Block[]
  /** A long section is cut: which part of it this is, from 0. */
  readonly part: number
  /** It stands under no heading but the title of its source, so its parts may be about anything. */
  readonly isUntitled: boolean
}

/** A sentence, or a block of code as a whole. */
export interface Unit {
  readonly text: string
  readonly kind: Block['kind']
  /** It begins its paragraph or item. */
  readonly isFirst: boolean
}

/** A passage ends with the paragraph in which it passes so many words. */
const WORDS = 120
/** Longer texts with no heading but their title speak of more than one thing; in characters. */
const LONG = 1500

/** Cuts Markdown, or plain text, at its headings and questions, and what is long between two at paragraphs. Tables of contents and menus are left out. */
export function passagesOf({ name, text }: Source): Passage[] {
  const passages: Passage[] = []
  const headings: string[] = []
  let blocks: Block[] = []
  let words = 0
  let part = 0
  const isLong = text.length > LONG
  const isAlone = () => headings.length <= 1
  const end = () => {
    const heading = headings.findLast(found => found !== undefined) ?? name
    const sections = headings.slice(0, -1).filter(found => found !== undefined)
    const isUntitled = isAlone() && isLong
    if (blocks.length > 0)
      passages.push({
        source: name,
        sections,
        heading,
        text: blocks.map(block => block.text).join('\n'),
        blocks,
        part: part++,
        isUntitled,
      })
    blocks = []
    words = 0
  }
  const pieces = outlineOf(text)
  for (const piece of pieces) {
    if (piece.kind === 'heading') {
      end()
      part = 0
      headings.length = Math.min(headings.length, piece.level - 1)
      headings[piece.level - 1] = piece.text
    } else if (piece.kind === 'gap') {
      if (words > (isAlone() ? 0 : WORDS)) end()
    } else {
      blocks.push(piece)
      words += piece.text.split(' ').length
    }
  }
  end()
  const titles = new Set(pieces.flatMap(piece => (piece.kind === 'heading' ? piece.text.toLowerCase() : [])))
  return passages.filter(({ heading, blocks: own }) => !isContents(heading, own, titles))
}

export const unitsOf = ({ blocks }: Passage): Unit[] =>
  blocks.flatMap((block): Unit[] =>
    block.kind === 'code'
      ? [{ ...block, isFirst: true }]
      : sentencesIn(block).map((text, at) => ({ kind: block.kind, text, isFirst: at === 0 })),
  )

/** The number of an item belongs to its first sentence. */
function sentencesIn({ kind, text }: Block): string[] {
  const [first, second, ...others] = sentencesOf(text)
  const isNumber = kind === 'item' && first && /^\d{1,9}[.)]$/.test(text.slice(first.start, first.end))
  const all = isNumber && second ? [{ ...first, end: second.end }, ...others] : sentencesOf(text)
  return all.map(({ start, end }) => text.slice(start, end))
}
