/** Ads in the words of a language model: what they may claim, and what is told to be mended. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Brief } from '../../src/brief.ts'
import { BadAnswer } from '../../src/run-rules.ts'
import { spoken } from '../../src/runner/spoken.fixture.ts'
import { KEY, written } from '../../src/runner/written.fixture.ts'
import { checks } from './checks.ts'
import type { Input } from './result.ts'

const facts = [
  'Each stool is made by hand in Bristol.',
  'Each stool carries 150 kg.',
  'Delivery is free, but only in May.',
]
const brief = {
  topic: 'Oak stools',
  tone: 'confident',
  input: { facts, platforms: ['google_search', 'meta'] as const, variants: 1, call_to_action: 'Order a drawing.' },
}

const part = (field: string, source: string, text: string) => ({ field, sentences: [{ source, text }] })
const google = [
  part('headline', 'topic', 'Oak Stools'),
  part('headline', 'facts[0]', 'Made by hand in Bristol'),
  part('headline', 'facts[1]', 'A stool that carries 150 kg'),
  part('description', 'facts[0]', 'Each of our stools is made by hand, right here in Bristol.'),
  part('description', 'facts[1]', 'Sit down: each stool carries 150 kg.'),
]
const meta = [
  part('primary_text', 'facts[0]', 'Made by hand in Bristol, stool by stool.'),
  part('headline', 'call_to_action', 'Order your drawing'),
]
const ads = (own = google, other = meta) =>
  JSON.stringify({
    ads: [
      { platform: 'google_search', parts: own },
      { platform: 'meta', parts: other },
    ],
  })
const and = (...parts: typeof google) => ads([...google, ...parts])

describe('ads in the words of a language model', { timeout: 1_800_000 }, () => {
  it('fill the fields of each platform, and each sentence says which fact it was made from', async t => {
    const {
      engine,
      result,
      checks: told,
      citations,
      asked,
      lines,
    } = await written(t, 'maya/generate_ad_copy', brief, [ads()])
    assert.deepEqual(engine, { kind: 'hybrid', name: 'openai-compatible', model: 'small' })
    assert.deepEqual(
      result.ads[0].parts.map(({ field, text }: { field: string; text: string }) => `${field}: ${text}`),
      [...google.map(({ field, sentences }) => `${field}: ${sentences[0]?.text}`), 'path: oak-stools'],
    )
    assert.deepEqual(result.facts_left_out, ['facts[2]'])
    const whole = { constraints: {}, files: [], seed: 1, ...brief } as unknown as Brief<Input>
    assert.deepEqual(told, checks(whole, { result, text: '', citations }))
    for (const { id, pass, value } of told) assert.ok(pass, `${id}: ${value}`)
    assert.ok(!JSON.stringify([asked[0]?.body, result, lines]).includes(KEY))
  })

  for (const [what, reply, said] of [
    ['of another form', '{"ads":', /it is no JSON/],
    ['in a block of code without an end', `\`\`\`json${' '.repeat(400_000)}`, /it is no JSON/],
    [
      'with a text that is too long',
      and(part('headline', 'facts[0]', 'Each stool is made by hand in Bristol')),
      /it is too long, 37 of 30/,
    ],
    ['with an invented figure', and(part('headline', 'facts[1]', 'Each stool carries 200 kg')), /the figure “200”/],
    ['with praise', and(part('headline', 'facts[0]', 'The finest stool by hand')), /the word “finest”/],
    ['that shout', and(part('headline', 'facts[0]', 'Made by hand in Bristol!!')), /exclamation marks/],
    ['without a condition', and(part('description', 'facts[2]', 'Delivery is free.')), /it leaves out the condition/],
    ['with too few texts', ads(google.slice(1)), /headline: there are 2, and at least 3/],
    ['for one platform alone', JSON.stringify({ ads: [{ platform: 'meta', parts: meta }] }), /no ad for google_search/],
  ] as const)
    it(`${what} are asked for again, and not delivered where they stay so`, async () => {
      const mended = await spoken('maya/generate_ad_copy', brief, [reply, ads()])
      assert.match(mended.made?.answer.warnings?.join() ?? '', /2 tries/)
      assert.match(mended.asked[1] ?? '', said)
      const never = await spoken('maya/generate_ad_copy', brief, [reply, reply, reply, ads()])
      assert.ok(never.fault instanceof BadAnswer)
      assert.equal(never.asked.length, 3)
    })
})
