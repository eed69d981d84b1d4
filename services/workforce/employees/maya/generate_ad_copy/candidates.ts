/** What may stand in a field: pieces of the brief, whole. Sentences are never cut: what lacks might be the condition. */
import { closing, type Fact, firstOf, formsOf, type Group } from '../facts.ts'
import { layout, type Segment, textOf } from '../segments.ts'
import type { Field, Platform } from './fields.ts'

export interface Material {
  readonly groups: readonly Group[]
  readonly product: Fact | undefined
  readonly callToAction: Fact | undefined
  readonly avoid: readonly string[]
}

/** The texts for a field, the best first, none twice. */
export function candidatesFor(platform: Platform, field: Field, material: Material): Segment[][] {
  const fits = (segments: readonly Segment[]) => isAllowed(platform, field, material, textOf(segments))
  const all = { line: linesOf, text: textsOf, path: pathsOf }[field.kind](field, material, fits)
  const known = new Map<string, Segment[]>()
  for (const segments of all) {
    const key = textOf(segments).toLowerCase()
    if (!known.has(key) && fits(segments)) known.set(key, segments)
  }
  return [...known.values()]
}

type Fits = (segments: readonly Segment[]) => boolean

/** Short enough, not louder than the platform allows, and without what is to be avoided. */
export function isAllowed(
  { lengthOf, exclamations }: Platform,
  { kind, limit }: Field,
  { avoid }: Pick<Material, 'avoid'>,
  text: string,
): boolean {
  if (/[!?！？]{2}/.test(text) || (text.match(/[!！]/g)?.length ?? 0) > exclamations[kind === 'text' ? 1 : 0])
    return false
  return lengthOf(text) <= limit && !avoid.some(word => text.toLowerCase().includes(word))
}

/** The product, facts of one short sentence, both together, and the call to action. */
function linesOf(field: Field, { groups, product, callToAction }: Material): Segment[][] {
  const facts = groups
    .flatMap(group => firstOf(group, 1).flatMap(first => formsOf(first).at(-1) ?? first))
    .map(fact => ({ ...fact, text: fact.text.replace(/(?<!\.)[.。]$/, '') }))
  const bare = (fact: Fact | undefined) => (fact ? [[{ ...fact, text: fact.text.replace(/[.。]$/, '') }]] : [])
  const both = product ? facts.map(fact => [product, layout(': '), fact]) : []
  const pairs = product && callToAction ? [[product, layout(': '), ...(bare(callToAction)[0] ?? [])]] : []
  const own = [...bare(product), ...facts.map(fact => [fact]), ...bare(callToAction)]
  return field.limit >= 60 ? [...both, ...own, ...pairs] : [...own, ...both, ...pairs]
}

/** So many facts lead a text: more texts than any field takes. */
const MOST_LEADS = 20

/** As many statements as there is room for, each of them leading once; with the call to action where it fits. */
function textsOf(_: Field, { groups, callToAction }: Material, fits: Fits): Segment[][] {
  const usable = groups.map(group => group.map(fact => formsOf(fact).filter(form => fits(sentence(form)))))
  return usable.slice(0, MOST_LEADS).flatMap((_, lead) => {
    let body: Segment[] = []
    for (const place of usable.map((_, at) => (lead + at) % usable.length)) {
      const telling = usable[place] ?? []
      const before = body
      for (const [at, forms] of telling.entries()) {
        const longer = forms
          .map(form => [...body, ...(body.length > 0 ? [layout(' ')] : []), ...sentence(form)])
          .find(fits)
        if (!longer) {
          if (firstOf(groups[place] ?? [], at).length === 0) body = before
          break
        }
        body = longer
      }
      if (place === lead && body.length === 0) return []
    }
    const called = callToAction ? [...body, layout(' '), ...sentence(callToAction)] : body
    return [fits(called) ? called : body]
  })
}

const sentence = (fact: Fact): Segment[] => (closing(fact.text) === '' ? [fact] : [fact, layout(closing(fact.text))])

/** The words of the product, in small letters. */
function pathsOf(_: Field, { product }: Material, fits: Fits): Segment[][] {
  if (!product) return []
  const words = product.text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu) ?? []
  const { source } = product
  const whole = [{ text: words.join('-'), source }]
  return fits(whole) ? [whole] : words.map(text => [{ text, source }])
}
