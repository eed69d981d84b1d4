/** Title and description. */
import { flat, isOfAnyPage, metaOf, named, type PageElement } from '../page/page.ts'
import { added, changed, escaped, type Fault, headOf, type Judged } from './fault.ts'
import type { RuleId } from './rules.ts'
import { fitted, widthOf } from './width.ts'

export const LONGEST_TITLE = 65
export const SHORTEST_TITLE = 12
export const LONGEST_DESCRIPTION = 160
const SHORTEST_DESCRIPTION = 50

export function judgeHead({ page, proposals }: Judged): Fault[] {
  if (page.kind === 'text') return []
  const titles = named(page, 'title')
  const title = titles.find(({ text }) => text !== '')
  const titleTag = (text: string) => `<title>${escaped(text)}</title>`
  const descriptions = metaOf(page, 'description')
  const description = descriptions.find(element => contentOf(element) !== '')
  const descriptionTag = (text: string) => `<meta name="description" content="${escaped(text)}">`
  const offered = {
    title: proposals.title ?? '[what the page is about, in up to 60 characters]',
    description: proposals.description ?? '[what the reader finds here, in up to 160 characters]',
  }
  return [
    ...missing(
      'title_missing',
      title,
      titles[0],
      `The page has no title${titles[0] ? ': its title is empty' : ''}.`,
      titleTag(offered.title),
    ),
    ...titles.slice(1).map(extra => changed(page, 'title_several', extra, 'The page has more than one title.', '')),
    ...(title ? lengthOfTitle(title) : []),
    ...missing(
      'description_missing',
      description,
      descriptions[0],
      `The page has no description${descriptions[0] ? ': its description is empty' : ''}.`,
      descriptionTag(offered.description),
    ),
    ...descriptions
      .slice(1)
      .map(extra => changed(page, 'description_several', extra, 'The page has more than one description.', '')),
    ...(description ? lengthOfDescription(description) : []),
  ]

  function missing(
    rule: RuleId,
    good: PageElement | undefined,
    empty: PageElement | undefined,
    message: string,
    after: string,
  ): Fault[] {
    if (good) return []
    return [empty ? changed(page, rule, empty, message, after) : added(rule, headOf(page), message, after)]
  }

  function lengthOfTitle(element: PageElement): Fault[] {
    const width = widthOf(element.text)
    if (width > LONGEST_TITLE) {
      const message = `The title has ${width} characters; about ${LONGEST_TITLE} are shown.`
      return [changed(page, 'title_long', element, message, titleTag(shorterTitle(element.text)))]
    }
    if (width >= SHORTEST_TITLE) return []
    const message = `The title has ${width} ${width === 1 ? 'character' : 'characters'}, which tells little.`
    return [changed(page, 'title_short', element, message, titleTag(longerTitle(element.text)))]
  }

  /** It keeps what the title says: a heading may be that of the site, on every page of it. */
  function longerTitle(text: string): string {
    const { title } = proposals
    if (title === null || widthOf(title) <= widthOf(text)) return `${text}: [what the page offers]`
    if (isOfAnyPage(text) || title.toLowerCase().includes(text.toLowerCase())) return title
    const both = `${text} – ${title}`
    return widthOf(both) <= LONGEST_TITLE ? both : `${text}: [what the page offers]`
  }

  function lengthOfDescription(element: PageElement): Fault[] {
    const text = contentOf(element)
    const width = widthOf(text)
    if (width > LONGEST_DESCRIPTION) {
      const message = `The description has ${width} characters; about ${LONGEST_DESCRIPTION} are shown.`
      return [changed(page, 'description_long', element, message, descriptionTag(fitted(text, LONGEST_DESCRIPTION)))]
    }
    if (width >= SHORTEST_DESCRIPTION) return []
    const message = `The description has ${width} characters; there is room for ${LONGEST_DESCRIPTION}.`
    const longer =
      widthOf(offered.description) > width ? offered.description : `${text} [what else the reader finds here]`
    return [changed(page, 'description_short', element, message, descriptionTag(longer))]
  }
}

const contentOf = ({ attributes }: PageElement) => flat(attributes.get('content') ?? '')

/** Without its last parts, such as the name of the site, if that is enough; else without its last words. */
function shorterTitle(title: string): string {
  const parts = title.split(/(\s+[|–—·»-]\s+)/)
  for (let end = parts.length - 2; end > 0; end -= 2) {
    const shorter = parts.slice(0, end).join('')
    if (widthOf(shorter) <= LONGEST_TITLE && widthOf(shorter) >= SHORTEST_TITLE) return shorter
  }
  return fitted(title, LONGEST_TITLE)
}
