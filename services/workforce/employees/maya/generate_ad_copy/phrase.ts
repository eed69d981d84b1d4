/** Ads in the words of a language model: which fields there are, how much room they have and what may be claimed is up to the rules. */
import type { Phrase } from '../../src/kind.ts'
import { requireFaultless, requireSameLanguage, type Sentence, segmentsOf, unfaithful } from '../phrased.ts'
import { candidatesFor, isAllowed } from './candidates.ts'
import { answerOf, materialOf, partOf, VARIANTS } from './engine.ts'
import { type Field, type PlatformId, platformIds, platforms } from './fields.ts'
import type { Ad, Input, Part, Result } from './result.ts'

interface Words {
  readonly ads: readonly {
    readonly platform: PlatformId
    readonly parts: readonly { readonly field: string; readonly sentences: readonly Sentence[] }[]
  }[]
}

export const phrase: Phrase<Input, Result, Words> = brief => {
  const { input, topic, tone, audience, constraints } = brief
  const material = materialOf(brief)
  const { groups, product, callToAction } = material
  requireSameLanguage(brief, groups)
  const ids = input.platforms ?? platformIds
  const others = { [product?.source ?? 'product']: product?.text, call_to_action: callToAction?.text }
  return {
    shown: {
      topic,
      tone,
      audience,
      constraints,
      facts: [...[product, callToAction].flatMap(one => one ?? []), ...groups.flat()],
      platforms: ids.map(id => ({
        id,
        ads: adsFor(id),
        fields: worded(id).map(({ id: field, kind, limit, least, most }) => ({ field, kind, limit, least, most })),
      })),
    },
    answerWith({ ads: said }) {
      const ads = ids.flatMap(id =>
        said
          .filter(({ platform }) => platform === id)
          .slice(0, adsFor(id))
          .map(({ parts }, at): Ad => ({ platform: id, variant: at + 1, parts: partsOf(id, parts) })),
      )
      requireFaultless([
        ...ids.filter(id => ads.every(({ platform }) => platform !== id)).map(id => `there is no ad for ${id}`),
        ...ads.flatMap(faultsOf),
      ])
      return answerOf(brief, ads, [])
    },
  }

  /** Google has one of many texts, which it combines. */
  function adsFor(id: PlatformId): number {
    return platforms[id].isResponsive ? 1 : (input.variants ?? VARIANTS)
  }

  function partsOf(id: PlatformId, said: Words['ads'][number]['parts']): Part[] {
    const platform = platforms[id]
    return platform.fields.flatMap(field => {
      const texts =
        field.kind === 'path'
          ? candidatesFor(platform, field, material)
          : said.filter(part => part.field === field.id).map(({ sentences }) => segmentsOf(sentences, groups, others))
      return texts.slice(0, field.most).map(segments => partOf(platform, field, segments))
    })
  }

  function faultsOf({ platform: id, variant, parts }: Ad): string[] {
    const lacking = worded(id).flatMap(({ id: field, least }) => {
      const found = parts.filter(part => part.field === field).length
      return found < least ? [`${field}: there are ${found}, and at least ${least} are needed`] : []
    })
    const texts = parts.flatMap(part => {
      const field = worded(id).find(one => one.id === part.field)
      return field
        ? wrongIn(id, field, part).map(fault => `${part.field} “${part.text.slice(0, 40).toWellFormed()}”: ${fault}`)
        : []
    })
    return [...lacking, ...texts].map(fault => `${id} ${variant}: ${fault}`)
  }

  function wrongIn(id: PlatformId, field: Field, { text, length, segments }: Part): string[] {
    const wrong = unfaithful(brief, segments)
    if (length > field.limit) return [...wrong, `it is too long, ${length} of ${field.limit}`]
    if (isAllowed(platforms[id], field, material, text)) return wrong
    return [...wrong, 'it has more exclamation marks than the platform takes, or what is to be avoided']
  }
}

/** The fields that are put into words: paths are the words of the product. */
const worded = (id: PlatformId): readonly Field[] => platforms[id].fields.filter(({ kind }) => kind !== 'path')
