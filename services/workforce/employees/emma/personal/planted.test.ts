import assert from 'node:assert/strict'
import { it } from 'node:test'
import { rules } from '../answer_ticket/engine.ts'
import { type Masking, measure, written } from './planted.ts'

const { planted: count, lookAlikes, missed, mistaken }: Masking = measure()

it('at least 165 of 167 personal data planted in texts are gone whole', () => {
  assert.equal(count, 167)
  assert.ok(missed.length <= 2, missed.join('\n'))
})

it('of 153 look-alikes at most 1 is masked', () => {
  assert.equal(lookAlikes, 153)
  assert.ok(mistaken.length <= 1, mistaken.join('\n'))
})

it('nothing that is masked stands anywhere in an answer, from the ticket or from the knowledge', () => {
  for (const { text, line, planted } of written()) {
    if (missed.includes(line)) continue
    const input = { ticket: text, subject: text, knowledge: [{ title: text, text: `# Contact\n${text}` }] }
    const answer = rules({ topic: '', tone: '', constraints: {}, files: [], seed: 1, input })
    for (const datum of planted) assert.ok(!JSON.stringify(answer).includes(JSON.stringify(datum).slice(1, -1)), line)
  }
})
