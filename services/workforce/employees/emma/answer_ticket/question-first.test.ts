import assert from 'node:assert/strict'
import { it } from 'node:test'
import { handbook } from './bar/bar.ts'
import { answer } from './brief.fixture.ts'

const knowledge = [
  {
    title: 'Looms',
    text: `# Looms

## I moved my loom to the damp cellar and now its display says "drift/warp". Should it not say "ready"?
The display compares the loom with the day that it was set up, and a damp room stretches the warp.

## How do I know which pattern is being woven?
Press the blue button: the number of the pattern is on the second line.

## The shuttle stops halfway. What can I do?
Clean its rail with a dry cloth.
`,
  },
]

it('a question that is surely answered goes before what a customer tells first', async () => {
  const told = 'Hello, I moved my loom to the damp cellar last week and now its display says "drift/warp".'
  const { result } = await answer(`${told} How do I know which pattern is being woven?`, { knowledge })
  assert.equal(result.passages[0]?.heading, 'How do I know which pattern is being woven?')
  assert.equal(result.answer, 'Press the blue button: the number of the pattern is on the second line.')
  const without = await answer(`${told} Should it not say ready?`, { knowledge })
  assert.match(without.result.passages[0]?.heading ?? '', /^I moved my loom/)
})

it('a question about what was told, or about the answer itself, does not go before it', async () => {
  const text = `# Shop

## My package arrived damaged
Take photos of the torn box and of the damaged screen, and send them with the order number.

## How do I fix a problem with the display?
Reset the display settings, which fixes most problems.

## How soon do you reply?
We reply to each message within 24 hours.

## How do I leave feedback?
Write a review on the page of the product.
`
  const shop = [{ title: 'Shop', text }, ...knowledge, { title: 'Handbook', text: handbook }]
  const told = `I bought a lamp on Tuesday evening for the birthday of my grandmother in Vienna. My package arrived damaged: the box is torn and the damaged screen is in the photos.`
  const headed = async (question: string) =>
    (await answer(`${told} ${question}`, { knowledge: shop })).result.passages[0]?.heading
  for (const question of ['Can you fix the problem?', 'Can you help me fix this problem?', 'How soon do you reply?'])
    assert.equal(await headed(question), 'My package arrived damaged', question)
  assert.equal(await headed('How do I leave feedback?'), 'How do I leave feedback?')
})
