/** Title and description that the page itself offers: its own words, nothing added. */
import { sentencesOf } from '../../../src/text/sentences.ts'
import { contentOf, headingsOf, isOfAnyPage, levelOf, named, type Page, type PageElement } from '../page/page.ts'
import type { Judged } from './fault.ts'
import { LONGEST_DESCRIPTION, LONGEST_TITLE } from './head.ts'
import { fitted, widthOf } from './width.ts'

const SHORTEST_PARAGRAPH = 40
/** As many paragraphs are looked at for one that ends as a sentence does. */
const NEAREST = 4

export function proposalsOf(page: Page): Judged['proposals'] {
  const heading = titleHeading(page)
  return { title: heading === undefined ? null : fitted(heading.text, LONGEST_TITLE), description: descriptionOf(page) }
}

/** The main heading, or the only one of the highest level: of several, none is known to be the page's. */
export function titleHeading(page: Page): PageElement | undefined {
  const headings = headingsOf(page).filter(({ text, isContent }) => isContent && text !== '' && !isOfAnyPage(text))
  const highest = headings.reduce((level, heading) => Math.min(level, levelOf(heading)), 6)
  const [first, ...others] = headings.filter(heading => levelOf(heading) === highest)
  return highest === 1 || others.length === 0 ? first : undefined
}

/**
 * The first sentences of the first paragraph that is one: no question, entry of a list, link or code. A line without an end, such as
 * a slogan below the title, stands back behind the paragraphs next to it.
 */
function descriptionOf(page: Page): string | null {
  const links = new Set(named(page, 'a').map(({ text }) => text))
  const paragraphs = contentOf(page)
    .filter(({ tag, text, isListed }) => !notProse.test(tag) && !isListed && !links.has(text))
    .map(({ text }) => withoutLeadIn(text))
    .filter(text => !/[?？]\s*$/.test(text.slice(-10)) && widthOf(text.slice(0, 200)) >= SHORTEST_PARAGRAPH)
    .slice(0, NEAREST)
  const text = paragraphs.find(one => /[.!…。！]["”’»)]?$/.test(one.slice(-10))) ?? paragraphs[0]
  if (text === undefined) return null
  let end = 0
  for (const sentence of sentencesOf(text)) {
    if (widthOf(text.slice(0, sentence.end)) > LONGEST_DESCRIPTION) break
    end = sentence.end
  }
  return end >= SHORTEST_PARAGRAPH ? text.slice(0, end) : fitted(text, LONGEST_DESCRIPTION)
}

const notProse = /^(?:h\d|pre|figcaption|caption|summary)$/

/** Without a last sentence that announces what follows: “In this chapter, we’ll discuss:” */
function withoutLeadIn(whole: string): string {
  const text = whole.slice(0, MOST_OF_PARAGRAPH)
  return /[:：]\s*$/.test(text.slice(-10)) ? text.slice(0, sentencesOf(text).at(-2)?.end ?? 0) : text
}

/** Of a paragraph, as much is looked at. */
const MOST_OF_PARAGRAPH = 2_000
