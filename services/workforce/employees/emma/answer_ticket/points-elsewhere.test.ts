import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pointsElsewhere } from './points-elsewhere.ts'

describe('a sentence only points elsewhere', () => {
  for (const sentence of [
    'See the section Refunds.',
    'See the section Refunds and Returns.',
    'For refunds, please see the section Payments.',
    'If you want to open one account and close another, see the page Accounts.',
    'How refunds work is described in the section Payments.',
    '- Read our FAQ.',
    'Please visit our website.',
    'Go to the page Help Centre.',
    'Please check the section “Opening hours”.',
    'Visit [our help page](https://help.example/start).',
    'See below.',
  ])
    it(sentence, () => assert.equal(pointsElsewhere(sentence), true))
})

describe('a sentence tells what to do', () => {
  for (const sentence of [
    'Go to the page Settings and press Delete account.',
    'Check your email page is confirmed, then log in.',
    'Visit our shop section in Berlin from nine to five.',
    'See the page Settings and then choose Delete account.',
    'Go to “Settings” and press Delete account.',
    'Read the page Terms, then sign it.',
    'The code is found in the section Account and you can copy it there.',
    'Go to the section Billing, open the last invoice and press Pay.',
  ])
    it(sentence, () => assert.equal(pointsElsewhere(sentence), false))
})

it('a long sentence is no pointer, and is read in time', { timeout: 300_000 }, () => {
  assert.equal(pointsElsewhere(`${'found in here '.repeat(20_000)};x`), false)
  assert.equal(pointsElsewhere(`${'for a see the page '.repeat(20_000)};x`), false)
})
