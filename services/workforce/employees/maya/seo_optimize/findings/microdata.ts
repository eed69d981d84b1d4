/** Microdata (HTML, section 5): what it is and which properties it has; their values are not read. */
import type { Page } from '../page/page.ts'
import { added, type Fault } from './fault.ts'
import { lackingOf, required, stubOf, typeOf } from './structured-types.ts'

interface MicroItem {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly missing: readonly string[]
}

export const microItemsOf = (page: Page): readonly MicroItem[] =>
  page.elements
    .flatMap(({ attributes, properties, start, tagEnd: end }) => {
      const type = attributes.get('itemtype')?.trim().split(/\s+/)[0]
      if (properties === undefined || !type || !/schema\.org\//i.test(type)) return []
      // What `itemref` names stands elsewhere.
      const missing = attributes.has('itemref') ? [] : lackingOf(required, typeOf(type), name => properties.has(name))
      return [{ type: typeOf(type), start, end, missing }]
    })
    .slice(0, MOST_ITEMS)

/** Of a page, so many are looked at. */
const MOST_ITEMS = 1_000

export const judgeMicrodata = (page: Page): Fault[] =>
  microItemsOf(page).flatMap(item =>
    item.missing.map(name => {
      const [one = name] = name.split('|')
      const message = `${item.type} lacks ${name.replaceAll('|', ' or ')}, which is required.`
      return added('data_incomplete', item, message, tagOf(one, item.type))
    }),
  )

function tagOf(name: string, type: string): string {
  const stub = stubOf(name, `${name} of this ${type}`)
  if (typeof stub === 'string') return `<meta itemprop="${name}" content="${stub}">`
  const { '@type': inner, ...fields } = stub
  const within = Object.entries(fields).map(([field, value]) => `<meta itemprop="${field}" content="${value}">`)
  return `<div itemprop="${name}" itemscope itemtype="https://schema.org/${inner}">${within.join('')}</div>`
}
