/** Lays out posts. What does not fit is left out whole: half a statement may say something else. */
import { countWords } from '../../src/text/constraint-checks.ts'
import { closing, type Fact, firstOf, formsOf, type Group } from '../facts.ts'
import { layout, type Segment, textOf } from '../segments.ts'
import { fits, type Platform } from './platforms.ts'

export interface Material {
  readonly groups: readonly Group[]
  readonly link: string | undefined
  readonly callToAction: string | undefined
  readonly tags: readonly Segment[]
  readonly emojis: readonly Segment[]
  readonly mustInclude: readonly string[]
  readonly mostWords: number
}

/** A group as it may be told on a platform: of each fact the forms that are short enough, the longest first. */
type Telling = readonly (readonly Fact[])[]

/** Up to so many posts that differ, the best first; each within the limits. */
export function compose(platform: Platform, material: Material, variants: number): Segment[][] {
  const tellings = material.groups.map(group => tellingOf(platform, material, group))
  const posts = new Map<string, Segment[]>()
  for (const { lead, shape } of plansFor(platform, tellings)) {
    if (posts.size === variants) break
    const post = postOf(platform, material, tellings, lead, shape, posts.size)
    if (post) posts.set(textOf(post.filter(({ source }) => !source.startsWith('emojis['))), post)
  }
  return [...posts.values()]
}

/** What is too long by itself is not tried in each post again. */
function tellingOf(platform: Platform, material: Material, group: Group): Telling {
  const end = textOf(endOf(platform, material))
  const telling = group.map(fact =>
    formsOf(fact).filter(({ text }) => fits(platform, `${text}${closing(text)}${end}`, material.link)),
  )
  const tooLong = telling.findIndex(forms => forms.length === 0)
  return tooLong === -1 ? telling : telling.slice(0, firstOf(group, tooLong).length)
}

/** A text as a post: behind an emoji, with the call to action, the link and as many tags as there is room for. */
export function framed(platform: Platform, material: Material, body: readonly Segment[], at: number): Segment[] {
  const post = [...headOf(material, at), ...body, ...endOf(platform, material)]
  return [...post, ...tagsBehind(platform, material, post)]
}

type Shape = 'told' | 'listed' | 'short'

/** So many are tried. */
const MOST_PLANS = 20

/** Each statement in turn leads, and the shape changes with it; then each again in its other shapes. */
function plansFor(platform: Platform, tellings: readonly Telling[]): { lead: number; shape: Shape }[] {
  const shapes: readonly Shape[] = platform.limit >= 500 ? ['told', 'listed', 'short'] : ['told', 'short']
  const leads = tellings.flatMap((telling, lead) => (telling.length === 0 ? [] : [lead])).slice(0, MOST_PLANS)
  return shapes
    .flatMap((_, round) =>
      leads.map((lead, at) => ({ lead, shape: shapes[(at + round) % shapes.length] ?? ('told' as const) })),
    )
    .slice(0, MOST_PLANS)
}

function postOf(
  platform: Platform,
  material: Material,
  tellings: readonly Telling[],
  lead: number,
  shape: Shape,
  at: number,
): Segment[] | undefined {
  const end = endOf(platform, material)
  const head = headOf(material, at)
  const order = [lead, ...wanted(material).filter(other => other !== lead)]
  const most = shape === 'short' && material.mustInclude.length === 0 ? 1 : platform.statements
  let body: Segment[] = []
  let count = 0
  for (const place of order) {
    const telling = tellings[place]
    if (!telling || count === most) continue
    const longer = withTelling(body, telling, shape, part => isWithin([...head, ...part, ...end]))
    if (longer === undefined) continue
    body = longer
    count++
  }
  if (count === 0) return undefined
  return framed(platform, material, body, at)

  function isWithin(segments: readonly Segment[]): boolean {
    const text = textOf(segments)
    const { mostWords } = material
    return (
      fits(platform, text, material.link) && (mostWords === Number.POSITIVE_INFINITY || countWords(text) <= mostWords)
    )
  }
}

/** The statements by how early they stand, but first those that have what must be in. */
function wanted({ groups, mustInclude }: Material): number[] {
  const has = (group: Group | undefined) =>
    mustInclude.some(word => group?.some(({ text }) => text.toLowerCase().includes(word.toLowerCase())))
  const all = groups.map((_, place) => place)
  return [...all.filter(place => has(groups[place])), ...all.filter(place => !has(groups[place]))]
}

/** The body with a group behind it, the group's last facts or sentences left out where it is too long. */
function withTelling(
  body: readonly Segment[],
  telling: Telling,
  shape: Shape,
  isWithin: (segments: readonly Segment[]) => boolean,
): Segment[] | undefined {
  let longest: Segment[] | undefined
  for (const [at, forms] of telling.entries()) {
    const before = longest
      ? [...longest, layout(' ')]
      : [...body, ...(body.length === 0 ? [] : [layout(shape === 'listed' ? '\n– ' : ' ')])]
    const form = forms
      .map(fact => [...before, fact, ...(closing(fact.text) === '' ? [] : [layout(closing(fact.text))])])
      .find(isWithin)
    if (!form)
      return firstOf(
        telling.flatMap(([whole]) => whole ?? []),
        at,
      ).length > 0
        ? longest
        : undefined
    longest = form
  }
  return longest
}

function headOf({ emojis }: Material, at: number): Segment[] {
  const start = emojis[at % Math.max(1, emojis.length)]
  return start ? [start, layout(' ')] : []
}

function endOf({ hasLinks }: Platform, { callToAction, link }: Material): Segment[] {
  const own = link === undefined || !hasLinks ? undefined : link
  return [
    ...(callToAction === undefined ? [] : [layout('\n\n'), { text: callToAction, source: 'call_to_action' }]),
    ...(own === undefined ? [] : [layout(callToAction === undefined ? '\n\n' : '\n'), { text: own, source: 'link' }]),
  ]
}

/** As many tags as the platform takes and has room for; none in the place of a better one that is too long. */
function tagsBehind(platform: Platform, { tags, link }: Material, post: readonly Segment[]): Segment[] {
  let found: Segment[] = []
  let count = 0
  for (const tag of tags) {
    if (count === platform.tags) return found
    const longer = [...(count === 0 ? [layout('\n\n'), layout('#')] : [...found, layout(' #')]), tag]
    if (!fits(platform, textOf([...post, ...longer]), link)) return found
    found = longer
    count++
  }
  return found
}
