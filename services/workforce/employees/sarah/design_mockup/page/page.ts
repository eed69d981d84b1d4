/** A whole page: what leads through it, its blocks, its end. */
import { rect } from '../../picture/svg.ts'
import { action } from '../blocks/action.ts'
import { article } from '../blocks/article.ts'
import { call } from '../blocks/call.ts'
import { cards } from '../blocks/cards.ts'
import { chart } from '../blocks/chart.ts'
import { features } from '../blocks/features.ts'
import { form } from '../blocks/form.ts'
import { hero } from '../blocks/hero.ts'
import { image } from '../blocks/image.ts'
import { list } from '../blocks/list.ts'
import type { Place } from '../blocks/place.ts'
import { pricing } from '../blocks/pricing.ts'
import { questions } from '../blocks/questions.ts'
import { stats } from '../blocks/stats.ts'
import { table } from '../blocks/table.ts'
import { testimonials } from '../blocks/testimonials.ts'
import type { BlockName, Blocks, Input } from '../result.ts'
import { box, type Draw, drawn, type Part, said, saidIf } from './part.ts'

const BUILD: { readonly [Name in BlockName]: (block: Blocks[Name], place: Place) => Part } = {
  hero,
  features,
  cards,
  pricing,
  form,
  table,
  chart,
  stats,
  list,
  testimonials,
  questions,
  article,
  image,
  call_to_action: call,
}

export function pageOf(input: Input): Part {
  const app = input.layout === 'app'
  const [first] = input.blocks
  const opens = first?.hero !== undefined || first?.article?.title !== undefined
  const head = opens ? undefined : said('h1', 'h1', input.title)
  const built = input.blocks.map((block, at) => ({
    part: build(block, { id: idOf(at), level: opens && at === 0 ? 1 : 2, app }),
    half: app && Object.values(block).some(content => 'half' in content && content.half === true),
  }))
  if (app)
    return box('div', 'app', [
      sideOf(input),
      box(
        'main',
        'app-main',
        [head, ...paired(built), footOf(input, app)].filter(part => part !== undefined),
      ),
    ])
  return box('div', 'page', [
    barOf(input),
    box('main', 'main', [
      head && box('div', 'band-head', [box('div', 'wide', [head])]),
      ...built.map(({ part }) => part),
    ]),
    footOf(input, app),
  ])
}

/** Which of the blocks it is. The schema says that it is one. */
export const nameOf = (block: Partial<Blocks>): BlockName => Object.keys(block)[0] as BlockName

const idOf = (at: number) => `part-${at + 1}`

function build(block: Partial<Blocks>, place: Place): Part {
  const name = nameOf(block)
  const of = BUILD[name] as (block: unknown, place: Place) => Part
  return of(block[name], place)
}

/** Two halves that follow each other stand side by side. */
function paired(blocks: readonly { readonly part: Part; readonly half: boolean }[]): Part[] {
  const parts: Part[] = []
  for (let at = 0; at < blocks.length; at++) {
    const [one, two] = [blocks[at], blocks[at + 1]]
    if (one?.half && two?.half) {
      parts.push(box('div', 'pair', [one.part, two.part]))
      at++
    } else if (one) parts.push(one.part)
  }
  return parts
}

/** A link leads to the block whose title it is, else nowhere. */
function linkTo(text: string, { blocks }: Input): string {
  const at = blocks.findIndex(block => {
    const content = block[nameOf(block)]
    return content && 'title' in content && content.title?.toLowerCase() === text.toLowerCase()
  })
  return at < 0 ? '#' : `#${idOf(at)}`
}

function barOf(input: Input): Part | undefined {
  const { brand, navigation: { links = [], action: leading, current } = {} } = input
  if (brand === undefined && links.length === 0 && leading === undefined) return undefined
  const all = (style: 'bar-link' | 'side-link') =>
    links.map(link => said('a', style, link, { href: linkTo(link, input), ...(link === current && HERE) }))
  return box('header', 'bar', [
    box('div', 'bar-inner', [
      said('a', 'brand', brand ?? input.title, { href: '#' }),
      box('div', 'bar-end', [
        links.length === 0 ? undefined : box('nav', 'bar-links', all('bar-link')),
        leading === undefined ? undefined : action(leading, 'button-small'),
        links.length === 0
          ? undefined
          : box('details', 'menu', [
              box('summary', 'menu-sign', [drawn('menu-icon', threeLines)], { 'aria-label': brand ?? input.title }),
              box('nav', 'menu-links', all('side-link')),
            ]),
      ]),
    ]),
  ])
}

const HERE = { 'aria-current': 'page' }

function sideOf(input: Input): Part {
  const { brand, navigation: { links = [], action: leading, current = links[0] } = {} } = input
  return box('header', 'side', [
    said('a', 'brand', brand ?? input.title, { href: '#' }),
    links.length === 0
      ? undefined
      : box(
          'nav',
          'side-links',
          links.map(link =>
            link === current
              ? said('a', 'side-here', link, { href: linkTo(link, input), ...HERE })
              : said('a', 'side-link', link, { href: linkTo(link, input) }),
          ),
        ),
    leading === undefined ? undefined : action(leading, 'button-small'),
  ])
}

function footOf({ brand, footer }: Input, app: boolean): Part | undefined {
  if (footer === undefined) return undefined
  const { columns = [], note } = footer
  const content = [
    columns.length === 0
      ? undefined
      : box('div', 'foot-columns', [
          brand === undefined ? undefined : box('div', 'foot-column', [said('p', 'brand', brand)]),
          ...columns.map(({ title, links }) =>
            box('div', 'foot-column', [
              said('p', 'foot-name', title),
              ...links.map(link => said('a', 'small', link, { href: '#' })),
            ]),
          ),
        ]),
    saidIf('p', 'foot-note', note),
  ]
  return box('footer', app ? 'foot-app' : 'foot', content)
}

const threeLines: Draw = ({ x, y, width }, { ink }) =>
  [5, 11, 17].map(down => rect({ x: x + 2, y: y + down, width: width - 4, height: 2 }, ink, { rx: 1 }))
