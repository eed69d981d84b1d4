/** Tickets that are answered, and reviews that are labelled, by what they mean: by REST, with a real embedding model. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sentenceModel, sentenceModelMissing } from '@millhand/embedding/fixture'
import { type Server, startServer } from './server.ts'
import { run } from './tasks.ts'

const input = {
  ticket: 'I am locked out, it says my secret word is wrong. What now?',
  knowledge: [
    { title: 'Password', text: '## Forgotten password\nClick "Forgot password" to choose a new password by e-mail.' },
    { title: 'Delivery', text: '## Delivery times\nStandard delivery takes two to four working days.' },
    { title: 'Refunds', text: '## Refunds\nThe money is on your card within five working days.' },
  ],
}

const foundIn = (server: Server) => resultOf(server, { task: 'answer_ticket', engine: 'rules', input })

async function resultOf(server: Server, json: object) {
  const task = await run(server, { employee: 'emma', ...json })
  assert.equal(task.status, 'succeeded', JSON.stringify(task.error))
  return task.output.result
}

const review = { task: 'sentiment_analysis', input: { texts: ['The plot goes nowhere.', 'Great product 👎'] } }

describe('a review', { timeout: 1_800_000 }, () => {
  it('is labelled by its meaning where the platform has a model for it', { skip: sentenceModelMissing }, async () => {
    await using server = await startServer({ env: { MILLHAND_EMBEDDING_MODEL: sentenceModel } })
    const { method, texts } = await resultOf(server, review)
    assert.equal(method.name, 'sentence_embeddings')
    assert.deepEqual(
      texts.map(({ scores }: { scores: { label: string } }) => scores.label),
      ['negative', 'negative'],
    )
  })

  it('is labelled by its words where it has none', async () => {
    await using server = await startServer()
    const { method, texts } = await resultOf(server, review)
    assert.equal(method.name, 'words')
    assert.equal(texts[0].scores.label, 'neutral')
  })
})

describe('a ticket', { timeout: 1_800_000 }, () => {
  it('is read by its meaning where the platform has a model for it', { skip: sentenceModelMissing }, async () => {
    await using server = await startServer({ env: { MILLHAND_EMBEDDING_MODEL: sentenceModel } })
    const { found_by, passages } = await foundIn(server)
    assert.equal(found_by, 'words_and_meaning')
    assert.equal(passages[0].heading, 'Forgotten password')
    const { stdout, stderr } = server.logs()
    assert.ok(!`${stdout}${stderr}`.includes(sentenceModel), 'no log has its path')
  })

  it('is read by its words where it has none', async () => {
    await using server = await startServer()
    assert.equal((await foundIn(server)).found_by, 'words')
  })
})
