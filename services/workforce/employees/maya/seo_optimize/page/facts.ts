/** What a page says of itself, for a reader who wants to see it at a glance. */
import { visibleText } from '../../../src/text/visible-text.ts'
import type { Result } from '../result.ts'
import { flat, headingsOf, levelOf, linkedAs, metaOf, named, type Page, type PageElement } from './page.ts'
import { createPlaces } from './place.ts'

/** So many headings and languages are listed. */
const MOST = 200

export function factsOf(page: Page, url: string | undefined): Pick<Result, 'page' | 'headings' | 'links' | 'images'> {
  const { raw, source } = page
  const placeOf = createPlaces(source, raw)
  const contentOf = (element: PageElement | undefined) => said(element?.attributes.get('content'))
  const images = named(page, 'img')
  return {
    page: {
      title: said(named(page, 'title')[0]?.text),
      description: contentOf(metaOf(page, 'description')[0]),
      canonical: said(linkedAs(page, 'canonical')[0]?.attributes.get('href')),
      robots: contentOf(metaOf(page, 'robots')[0]),
      viewport: contentOf(metaOf(page, 'viewport')[0]),
      declared_language: said(named(page, 'html')[0]?.attributes.get('lang')),
      hreflang: linkedAs(page, 'alternate')
        .flatMap(({ attributes }) => said(attributes.get('hreflang')) ?? [])
        .slice(0, MOST),
    },
    headings: headingsOf(page)
      .slice(0, MOST)
      .map(heading => ({
        level: levelOf(heading),
        text: heading.text,
        line: placeOf(heading.start, heading.end).line,
      })),
    links: linksOf(page, url),
    images: {
      count: images.length,
      without_alternative: images.filter(({ attributes }) => !attributes.has('alt')).length,
    },
  }
}

/** Without the page's address, links with a host count as external. */
function linksOf(page: Page, url: string | undefined): Result['links'] {
  const base = URL.parse(url ?? 'https://page.invalid/')
  const counts = { internal: 0, external: 0, other: 0 }
  for (const { attributes } of named(page, 'a')) {
    const href = attributes.get('href')
    if (href === undefined) continue
    const address = URL.parse(href.slice(0, 2_000), base?.href)
    if (!address || !/^https?:$/.test(address.protocol)) counts.other++
    else if (address.host === base?.host) counts.internal++
    else counts.external++
  }
  return counts
}

/** Null where nothing is said. */
function said(text: string | undefined): string | null {
  const visible = flat(visibleText(text ?? ''))
    .slice(0, 2_000)
    .toWellFormed()
  return visible === '' ? null : visible
}
