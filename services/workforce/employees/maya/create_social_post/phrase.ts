/** Posts in the words of a language model: which facts, platforms, links and tags there are is up to the rules. */
import type { Phrase } from '../../src/kind.ts'
import { requireFaultless, requireSameLanguage, type Sentence, segmentsOf, unfaithful } from '../phrased.ts'
import { textOf } from '../segments.ts'
import { framed } from './compose.ts'
import { answerOf, materialOf, postOf, VARIANTS } from './engine.ts'
import { fits, type PlatformId, platformIds, platforms } from './platforms.ts'
import type { Input, Post, Result } from './result.ts'

interface Words {
  readonly posts: readonly { readonly platform: PlatformId; readonly sentences: readonly Sentence[] }[]
}

export const phrase: Phrase<Input, Result, Words> = brief => {
  const { input, topic, tone, audience, constraints } = brief
  const material = materialOf(brief)
  requireSameLanguage(brief, material.groups)
  const ids = input.platforms ?? platformIds
  const variants = input.variants ?? VARIANTS
  return {
    shown: {
      topic,
      tone,
      audience,
      constraints,
      facts: material.groups.flat(),
      posts_for_each_platform: variants,
      platforms: ids.map(id => ({ id, room: roomOf(id), counted_as: platforms[id].countedAs })),
    },
    answerWith({ posts: said }) {
      const posts = ids.flatMap(id =>
        said
          .filter(({ platform }) => platform === id)
          .slice(0, variants)
          .map(({ sentences }, at) =>
            postOf(id, at + 1, material, framed(platforms[id], material, segmentsOf(sentences, material.groups), at)),
          ),
      )
      requireFaultless([
        ...ids.filter(id => posts.every(({ platform }) => platform !== id)).map(id => `there is no post for ${id}`),
        ...posts.flatMap(faultsOf),
      ])
      return answerOf(brief, material, posts)
    },
  }

  /** What is left for sentences, as the platform counts. */
  function roomOf(id: PlatformId): number {
    const { limit, lengthOf } = platforms[id]
    return limit - lengthOf(textOf(framed(platforms[id], { ...material, tags: [] }, [], 0)), material.link)
  }

  function faultsOf({ platform, variant, text, length, limit, segments }: Post): string[] {
    const avoided = (constraints.avoid ?? []).filter(word => text.toLowerCase().includes(word.toLowerCase()))
    return [
      ...(fits(platforms[platform], text, material.link) ? [] : [`it is too long, ${length} of ${limit}`]),
      ...avoided.map(word => `it has “${word}”, which is to be avoided`),
      ...unfaithful(brief, segments),
    ].map(fault => `${platform} ${variant}: ${fault}`)
  }
}
