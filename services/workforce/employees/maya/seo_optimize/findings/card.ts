/** The card that a page is shown as where somebody shares it: Open Graph (ogp.me), which the cards of X read too. */
import { wordsOf } from '../../../src/text/english.ts'
import { flat, metaOf, named, type Page, type PageElement } from '../page/page.ts'
import { added, changed, escaped, type Fault, headOf, type Judged } from './fault.ts'
import { SHORTEST_TITLE } from './head.ts'
import { widthOf } from './width.ts'

export function judgeCard({ page, proposals }: Judged): Fault[] {
  if (page.kind === 'text') return []
  const own = {
    title: named(page, 'title').find(({ text }) => text !== '')?.text,
    description: metaOf(page, 'description')
      .map(contentOf)
      .find(text => text !== ''),
  }
  const good = own.title !== undefined && widthOf(own.title) >= SHORTEST_TITLE ? own.title : undefined
  const offered = good ?? proposals.title ?? '[what the page is about, in up to 60 characters]'
  const titles = cardsOf(page, 'title')
  const missing =
    titles.length > 0
      ? []
      : [
          added(
            'card_missing',
            headOf(page),
            'The page does not say what to show where it is shared.',
            tagOf('title', offered),
          ),
        ]
  return [
    ...missing,
    ...(['title', 'description'] as const).flatMap(name =>
      cardsOf(page, name).flatMap(element => {
        const said = own[name]
        if (said === undefined || agrees(contentOf(element), said)) return []
        const message = `The ${name} where the page is shared has no word of its own ${name}.`
        return [changed(page, 'card_differs', element, message, tagOf(name, said))]
      }),
    ),
  ]
}

const tagOf = (name: string, text: string) => `<meta property="og:${name}" content="${escaped(text)}">`

/** `og:title` and `twitter:title`; people write either attribute for both. */
const cardsOf = (page: Page, name: string): PageElement[] =>
  named(page, 'meta').filter(({ attributes }) => {
    const said = (attributes.get('property') ?? attributes.get('name') ?? '').trim().toLowerCase()
    return (said === `og:${name}` || said === `twitter:${name}`) && flat(attributes.get('content') ?? '') !== ''
  })

const contentOf = ({ attributes }: PageElement): string => flat(attributes.get('content') ?? '').slice(0, LONGEST)
const LONGEST = 1_000

/** Whether two texts have a word in common. Where words are not set apart, nobody can tell. */
function agrees(one: string, other: string): boolean {
  if (unspaced.test(one + other)) return true
  const words = new Set(wordsOf(one))
  return wordsOf(other.slice(0, LONGEST)).some(word => words.has(word))
}

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u
