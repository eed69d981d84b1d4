/** Makes posts from the facts of a brief: picks, orders and lays out, and writes nothing of its own. */
import type { Answer } from '../../src/answer.ts'
import { type Brief, Refusal } from '../../src/brief.ts'
import { factsOf, firstOf, groupsOf, plain } from '../facts.ts'
import { tagOf, tagsFrom } from '../hashtags.ts'
import { citationsOf, type Segment, textOf } from '../segments.ts'
import { compose, type Material } from './compose.ts'
import { type PlatformId, platformIds, platforms } from './platforms.ts'
import type { Input, Post, Result } from './result.ts'

export const VARIANTS = 2

export function rules(brief: Brief<Input>): Answer<Result> {
  const { input, tone } = brief
  const material = materialOf(brief)
  const posts = (input.platforms ?? platformIds).flatMap(id =>
    compose(platforms[id], material, input.variants ?? VARIANTS).map((segments, at) =>
      postOf(id, at + 1, material, segments),
    ),
  )
  if (posts.length === 0) throw tooLong(brief, material)
  const { warnings = [], ...answer } = answerOf(brief, material, posts)
  const unsaid = [
    ...(tone.trim() === ''
      ? []
      : ['The words are those of your facts; a language model can give them the tone: ask for `engine` llm.']),
    ...(isTold(brief.topic, posts)
      ? []
      : ['`topic` stands in no post, as posts are made of `facts`: put it among them to have it told.']),
  ]
  return { ...answer, warnings: [...unsaid, ...warnings] }
}

/** At fault is the call to action where a fact would fit without it, then the link, which stand in each post; else the facts. */
function tooLong({ input }: Brief<Input>, material: Material): Refusal {
  const fitsWith = (rest: Partial<Material>) =>
    (input.platforms ?? platformIds).some(id => compose(platforms[id], { ...material, ...rest }, 1).length > 0)
  const { link, callToAction } = material
  const isOfCall = callToAction !== undefined && fitsWith({ callToAction: undefined })
  if (link !== undefined && !isOfCall && fitsWith({ link: undefined, callToAction: undefined }))
    return new Refusal('input.link', `The link has ${link.length} characters: no fact has room beside it.`)
  if (isOfCall || (callToAction !== undefined && fitsWith({ callToAction: undefined, link: undefined })))
    return new Refusal(
      'input.call_to_action',
      `The call to action has ${callToAction.length} characters: no fact has room beside it.`,
    )
  return new Refusal(
    'input.facts',
    'No fact is short enough for any of the platforms: give shorter ones, a sentence each.',
  )
}

/** Whether a post tells the topic, as a tag or within its text. */
function isTold(topic: string, posts: readonly Post[]): boolean {
  const words = plain(topic).trim().replace(/\.$/, '').toLowerCase()
  return posts.some(
    ({ text, segments }) => text.toLowerCase().includes(words) || segments.some(({ source }) => source === 'topic'),
  )
}

/** What posts are made of. Throws a `Refusal` where there is nothing to tell. */
export function materialOf(brief: Brief<Input>): Material {
  const { input, constraints } = brief
  const facts = factsOf(brief)
  const avoided = (constraints.avoid ?? []).map(word => word.toLowerCase())
  const isAllowed = (text: string) => !avoided.some(word => text.toLowerCase().includes(word))
  // What leans on a fact goes with it: behind another one it would say something else.
  const groups = groupsOf(facts)
    .map(group => {
      const unwanted = group.findIndex(({ text }) => !isAllowed(text))
      return unwanted === -1 ? group : firstOf(group, unwanted)
    })
    .filter(group => group.length > 0)
  if (groups.length === 0)
    throw new Refusal('constraints.avoid', 'Every fact has something in it that is to be avoided.')
  return {
    groups,
    link: linkOf(input.link),
    callToAction: input.call_to_action === undefined ? undefined : plain(input.call_to_action),
    tags: tagsOf(brief).filter(({ text }) => isAllowed(text)),
    emojis: emojisOf(input),
    mustInclude: constraints.must_include ?? [],
    mostWords: constraints.max_words ?? Number.POSITIVE_INFINITY,
  }
}

export function answerOf(brief: Brief<Input>, material: Material, posts: readonly Post[]): Answer<Result> {
  const used = new Set(posts.flatMap(({ segments }) => segments.map(({ source }) => source)))
  const result: Result = {
    posts,
    facts_left_out: factsOf(brief)
      .map(({ source }) => source)
      .filter(source => !used.has(source)),
  }
  return {
    result,
    text: posts.map(({ platform, text }) => `${platforms[platform].name}\n${text}`).join('\n\n———\n\n'),
    citations: citationsOf(posts.flatMap(({ segments }) => segments)),
    warnings: warningsOf(brief, material, posts),
  }
}

export function postOf(id: PlatformId, variant: number, { link }: Material, segments: readonly Segment[]): Post {
  const { limit, countedAs, lengthOf } = platforms[id]
  const text = textOf(segments)
  return {
    platform: id,
    variant,
    text,
    length: lengthOf(text, link),
    limit,
    counted_as: countedAs,
    hashtags: segments.filter((_, place) => isSign(segments[place - 1])).map(({ text: tag }) => tag),
    segments,
  }
}

const isSign = (segment: Segment | undefined) => segment?.source === 'layout' && segment.text.endsWith('#')

/** An address as browsers write it. */
function linkOf(link: string | undefined): string | undefined {
  if (link === undefined) return undefined
  const address = URL.parse(link)
  if (address === null || address.username !== '' || address.password !== '')
    throw new Refusal(
      'input.link',
      'The link is no address, or has a password in it; give one such as https://shop.example/tea.',
    )
  return address.href
}

function tagsOf(brief: Brief<Input>): readonly Segment[] {
  const { hashtags } = brief.input
  const given = hashtags?.map((text, at) => ({ text: tagOf(text), source: `hashtags[${at}]` }))
  const tags = given
    ? given.flatMap(({ text, source }) => (text === undefined ? [] : [{ text, source }]))
    : tagsFrom(plain(brief.topic), factsOf(brief))
  return [...new Map(tags.toReversed().map(tag => [tag.text.toLowerCase(), tag])).values()].toReversed()
}

function emojisOf({ emojis = [] }: Input): readonly Segment[] {
  return emojis.map((text, at) => {
    if (!/^\p{RGI_Emoji}$/v.test(text)) throw new Refusal(`input.emojis[${at}]`, 'It is not one emoji.')
    return { text, source: `emojis[${at}]` }
  })
}

function warningsOf({ input }: Brief<Input>, { link, groups }: Material, posts: readonly Post[]): string[] {
  const ids = input.platforms ?? platformIds
  const empty = ids.filter(id => posts.every(({ platform }) => platform !== id)).map(id => platforms[id].name)
  const mentions = groups.flat().some(({ text }) => /(?:^|\s)@[\p{L}\d_]/u.test(text))
  const noLinks = link === undefined ? [] : ids.filter(id => !platforms[id].hasLinks).map(id => platforms[id].name)
  return [
    ...(empty.length > 0 ? [`No fact is short enough for ${empty.join(', ')}.`] : []),
    ...(noLinks.length > 0
      ? [`Links can’t be followed in posts on ${noLinks.join(', ')}, so there it is left out.`]
      : []),
    ...(input.hashtags ?? []).flatMap(tag =>
      tagOf(tag) === undefined
        ? [`${plain(tag)} is no hashtag and is left out: platforms take letters, digits and underscores alone.`]
        : [],
    ),
    ...(mentions ? ['Facts have names with an @ in them: whoever they belong to is told of the post.'] : []),
  ]
}
