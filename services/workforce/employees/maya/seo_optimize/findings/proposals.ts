/** Title and description that the page itself offers: its own words, nothing added. */
import { sentencesOf } from '../../../src/text/sentences.ts'
import { contentOf, headingsOf, type Page } from '../page/page.ts'
import type { Judged } from './fault.ts'
import { LONGEST_DESCRIPTION, LONGEST_TITLE } from './head.ts'
import { fitted, widthOf } from './width.ts'

const SHORTEST_PARAGRAPH = 40

export function proposalsOf(page: Page): Judged['proposals'] {
  const headings = headingsOf(page).filter(({ text }) => text !== '')
  const heading = headings.find(({ name }) => name === 'h1') ?? headings[0]
  return { title: heading ? fitted(heading.text, LONGEST_TITLE) : null, description: descriptionOf(page) }
}

/** The first sentences of the first paragraph that is one. */
function descriptionOf(page: Page): string | null {
  const first = contentOf(page).find(
    ({ tag, text }) => !/^h\d$/.test(tag) && widthOf(text.slice(0, 200)) >= SHORTEST_PARAGRAPH,
  )
  if (!first) return null
  const text = first.text.slice(0, 2_000)
  let end = 0
  for (const sentence of sentencesOf(text)) {
    if (widthOf(text.slice(0, sentence.end)) > LONGEST_DESCRIPTION) break
    end = sentence.end
  }
  return end >= SHORTEST_PARAGRAPH ? text.slice(0, end) : fitted(text, LONGEST_DESCRIPTION)
}
