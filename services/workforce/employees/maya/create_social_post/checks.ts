import { wordsCheck } from '../../src/claims/claim-checks.ts'
import type { Checks } from '../../src/kind.ts'
import { textIn } from '../../src/text/text-files.ts'
import { emoji } from '../facts.ts'
import { isTagOf } from '../hashtags.ts'
import { unfaithful } from '../phrased.ts'
import { textOf, uncited, untraceable, wishes } from '../segments.ts'
import { fits, platforms } from './platforms.ts'
import type { Input, Result } from './result.ts'

export const checks: Checks<Input, Result> = (brief, { result, citations = [] }) => {
  const { input, topic } = brief
  const { posts } = result
  const link = input.link === undefined ? undefined : URL.parse(input.link)?.href
  const within = posts.filter(({ platform, text, length }) => {
    const own = platforms[platform]
    return fits(own, text, link) && own.lengthOf(text, link) === length
  }).length
  const others = {
    link,
    call_to_action: input.call_to_action,
    ...Object.fromEntries(input.emojis?.map((text, at) => [`emojis[${at}]`, text]) ?? []),
  }
  const pieces = posts.flatMap(({ text, segments, hashtags }) => {
    const isWhole = textOf(segments) === text
    const isTag = (at: number) => segments[at - 1]?.text.endsWith('#') && segments[at - 1]?.source === 'layout'
    const rest = segments.filter((_, at) => !isTag(at))
    return isWhole && segments.length - rest.length === hashtags.length ? untraceable(brief, others, rest) : segments
  }).length
  const tags = posts.flatMap(({ platform, hashtags, segments }) => {
    const facts = segments.filter(({ text }) => !hashtags.includes(text)).map(({ text }) => text)
    const own = [topic, ...(input.hashtags ?? []), ...facts, ...(input.facts ?? []), ...texts(brief)]
    return hashtags.filter(tag => !own.some(text => isTagOf(tag, text)) || hashtags.length > platforms[platform].tags)
  }).length
  const emojis = posts.filter(({ text, platform }) => {
    const found = text.match(emoji) ?? []
    return found.length > platforms[platform].emojis || found.some(one => !input.emojis?.includes(one))
  }).length
  const without = uncited(
    posts.flatMap(({ segments }) => segments),
    citations,
  ).length
  const isPhrased = posts.some(({ segments }) => segments.some(one => one.phrased_from !== undefined))
  const beyond = posts.flatMap(({ segments }) => unfaithful(brief, segments)).length
  return [
    { id: 'posts_within_their_limits', pass: within === posts.length, value: within, target: posts.length },
    { id: 'no_pieces_outside_the_brief', pass: pieces === 0, value: pieces, target: 0 },
    { id: 'no_pieces_without_a_citation', pass: without === 0, value: without, target: 0 },
    { id: 'no_hashtags_outside_the_text', pass: tags === 0, value: tags, target: 0 },
    { id: 'no_posts_with_other_emojis', pass: emojis === 0, value: emojis, target: 0 },
    ...(isPhrased
      ? [wordsCheck('sentences_keep_to_their_facts', posts.map(({ text }) => text).join('\n'), beyond)]
      : []),
    ...wishes(
      brief.constraints,
      posts.map(({ text }) => text),
    ),
  ]
}

const texts = ({ files }: Parameters<typeof checks>[0]) => files.map((file, at) => textIn(file, `files[${at}]`))
