import assert from 'node:assert/strict'
import { it } from 'node:test'
import { rules } from '../answer_ticket/engine.ts'
import { createMask } from './mask.ts'
import { type Masking, measure, written } from './planted.fixture.ts'

const { planted: count, lookAlikes, missed, mistaken }: Masking = measure()

it('at least 165 of 167 personal data planted in texts are gone whole', () => {
  assert.equal(count, 167)
  assert.ok(missed.length <= 2, missed.join('\n'))
})

it('of 153 look-alikes at most 1 is masked', () => {
  assert.equal(lookAlikes, 153)
  assert.ok(mistaken.length <= 1, mistaken.join('\n'))
})

const named: Masking = measure('planted-names.tsv')

it('at least 96 of 97 names, postal addresses, dates of birth and passports planted in texts are gone whole', () => {
  assert.equal(named.planted, 97)
  assert.ok(named.missed.length <= 1, named.missed.join('\n'))
})

it('of 101 look-alikes of those at most 2 are masked, and no team, firm or product', () => {
  assert.equal(named.lookAlikes, 101)
  assert.ok(named.mistaken.length <= 2, named.mistaken.join('\n'))
  assert.equal(createMask().mask('Dear Support,\nmy Aurora Lamp broke.'), 'Dear Support,\nmy Aurora Lamp broke.')
})

it('nothing that is masked stands anywhere in an answer, from the ticket or from the knowledge', async () => {
  for (const { text, line, planted } of written()) {
    if (missed.includes(line) || named.missed.includes(line)) continue
    const input = { ticket: text, subject: text, knowledge: [{ title: text, text: `# Contact\n${text}` }] }
    const answer = await rules({ topic: '', tone: '', constraints: {}, files: [], seed: 1, input })
    for (const datum of planted) assert.ok(!JSON.stringify(answer).includes(JSON.stringify(datum).slice(1, -1)), line)
  }
})
