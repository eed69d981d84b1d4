/** Random briefs: statements of many lengths and scripts. For the test and the benchmark. */
import fc from 'fast-check'
import { type Brief, Refusal } from '../../src/brief.ts'
import { checks } from './checks.ts'
import { rules } from './engine.ts'
import { platformIds } from './fields.ts'
import type { Input, Part } from './result.ts'

const words =
  'The best shop opens on Monday and it is free for all in Leeds with 35 kg bread Straße größer café! приложение الخبز 新しい店 가게 shop.com 🎉 e\u0301 — “quoted” <b> &'.split(
    ' ',
  )

const statement = (most: number) =>
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .array(fc.constantFrom(...words), { minLength: 1, maxLength: 14 })
        .map(list => `${list.join(' ')}.`.slice(0, most)),
    },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: most }) },
  )

const briefs: fc.Arbitrary<Brief<Input>> = fc
  .record(
    {
      facts: fc.array(statement(400), { minLength: 1, maxLength: 15 }),
      product: statement(40),
      call_to_action: statement(60),
      platforms: fc.subarray([...platformIds], { minLength: 1 }),
      variants: fc.integer({ min: 1, max: 5 }),
    },
    { requiredKeys: ['facts'] },
  )
  .map(input => ({ topic: 'Spring sale', tone: '', constraints: {}, files: [], seed: 1, input }))

export interface Held {
  readonly briefs: number
  readonly refused: number
  readonly texts: number
  /** Checks that failed, each with its brief. What facts are too few for is not counted: it is said. */
  readonly failed: readonly string[]
}

/** How many texts of so many random briefs hold their limits and can be traced; `look` sees each of them. */
export function heldOnRandomBriefs(count: number, seed: number, look: (part: Part) => void = () => undefined): Held {
  let refused = 0
  let texts = 0
  const failed: string[] = []
  for (const brief of fc.sample(briefs, { seed, numRuns: count }))
    try {
      const answer = rules(brief)
      const parts = answer.result.ads.flatMap(ad => ad.parts)
      texts += parts.length
      for (const { id, pass } of checks(brief, answer))
        if (!pass && id !== 'no_fields_that_lack_texts') failed.push(`${id}: ${JSON.stringify(brief.input)}`)
      parts.forEach(look)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      refused++
    }
  return { briefs: count, refused, texts, failed }
}
