/** Random briefs: texts of many scripts, addresses, emojis and signs. For the test and the benchmark. */
import fc from 'fast-check'
import { type Brief, Refusal } from '../../src/brief.ts'
import { checks } from './checks.ts'
import { rules } from './engine.ts'
import { platformIds } from './platforms.ts'
import type { Input, Post } from './result.ts'

const plain =
  'The shop opens on Monday and it is free for all of you in Leeds with 35 kg bread Straße größer café'.split(' ')
const odd =
  'приложение الخبز 新しい店 가게 3.5 👩‍👩‍👧‍👦 🎉 e\u0301 a.de shop.com https://x.org/a?b=c @everyone #tag — “quoted” line\nend \u202e \u200b <b> & * _ '.split(
    ' ',
  )
const told = (words: readonly string[]) =>
  fc.array(fc.constantFrom(...words), { minLength: 8, maxLength: 40 }).map(list => `${list.join(' ')}.`)

const text = (least: number, most: number) =>
  fc
    .oneof(
      { weight: 4, arbitrary: told(plain) },
      { weight: 2, arbitrary: told([...plain, ...odd]) },
      { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 400 }) },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 400 }) },
    )
    .filter(({ length }) => length >= least)
    .map(long => long.slice(0, most))

const briefs: fc.Arbitrary<Brief<Input>> = fc
  .record(
    {
      facts: fc.array(text(1, 2_000), { minLength: 1, maxLength: 12 }),
      variants: fc.integer({ min: 1, max: 5 }),
      platforms: fc.subarray([...platformIds], { minLength: 1 }),
      link: fc.oneof(fc.constant('https://millhand.dev/spring'), fc.webUrl({ withQueryParameters: true })),
      call_to_action: text(1, 200),
      hashtags: fc.array(text(1, 60), { maxLength: 6 }),
      emojis: fc.subarray(['🎉', '🔧', '👍🏽', '🇩🇪', '👩‍👩‍👧‍👦']),
    },
    { requiredKeys: ['facts'] },
  )
  .map(input => ({ topic: 'Spring sale', tone: '', constraints: {}, files: [], seed: 1, input }))

export interface Held {
  readonly briefs: number
  readonly refused: number
  readonly posts: number
  /** Checks that failed, each with its brief. */
  readonly failed: readonly string[]
}

/** How many posts of so many random briefs hold their limits and can be traced; `look` sees each of them. */
export function heldOnRandomBriefs(count: number, seed: number, look: (post: Post) => void = () => undefined): Held {
  let refused = 0
  let posts = 0
  const failed: string[] = []
  for (const brief of fc.sample(briefs, { seed, numRuns: count }))
    try {
      const answer = rules(brief)
      posts += answer.result.posts.length
      for (const { id, pass } of checks(brief, answer)) if (!pass) failed.push(`${id}: ${JSON.stringify(brief.input)}`)
      answer.result.posts.forEach(look)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      refused++
    }
  return { briefs: count, refused, posts, failed }
}
