import assert from 'node:assert/strict'
import { it } from 'node:test'
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
