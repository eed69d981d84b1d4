import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { openEncoder } from '@millhand/embedding'
import { sentenceModel, sentenceModelMissing } from '@millhand/embedding/fixture'
import type { Embed } from '../../../src/kind.ts'
import { rules } from '../engine.ts'
import { score } from '../words/score.ts'
import { labellerOf } from './labeller.ts'

const brief = (texts: readonly string[]) => ({
  topic: '',
  tone: '',
  constraints: {},
  files: [],
  seed: 1,
  input: { texts, text_language: 'en' },
})

/** Written for this; they taught nothing. Words of feeling are few in them. */
const opinions = {
  positive: [
    'I would buy this again tomorrow.',
    'It does everything it promised and more.',
    'We came back three nights in a row.',
    'Five stars from the whole family.',
    'You will not put this book down.',
    'The waiter remembered us from last year and brought our drinks at once.',
    'Two years later it still runs like on the first day.',
    'The sound is crisp and the bass is deep.',
    'My kids ask for it every evening.',
    'Setup took two minutes.',
  ],
  negative: [
    'It stopped charging after a week.',
    'We waited an hour for our food and it was cold.',
    'The plot goes nowhere.',
    'I sent it back the next day.',
    'I want my money back.',
    'The seams came apart in the first wash.',
    'I fell asleep halfway through the film.',
    'The screen flickers whenever I open a second window.',
    'You get what you pay for, and here that is not much.',
    'The staff ignored us until we left.',
  ],
}

const facts =
  `It is a table.|The meeting is at 3 pm.|The box contains two cables.|I bought it in May.|My order number is 4711.
It is 30 cm long.|The phone has a camera.|Please call me tomorrow.|The bus stops at the school.|We moved here in 2015.
The tablet has a 10 inch display.|I work in an office.|The film was shot in Canada.|How long is the cable?
The red one is for my brother.|The bakery sells bread and rolls.|The letter arrived on Saturday.|There are four chairs in the room.
The author lives in Spain.|Click on the second tab.|The deadline is next week.|It has a zip on the side.
The lamp stands next to the sofa.|Our office is on the second floor.|I need the receipt for my taxes.
The game is for two to four players.|She plays a doctor.|The soup contains carrots and leeks.
The headset connects over Bluetooth.|My account is registered under my old email.`.split(/[|\n]/)

describe('with the embedding model that it was trained with', { skip: sentenceModelMissing }, () => {
  let embed: Embed
  before(async () => {
    const encoder = await openEncoder({
      model: join(sentenceModel, 'model.onnx'),
      tokenizer: join(sentenceModel, 'tokenizer.json'),
      threads: 1,
    })
    embed = async texts => {
      const vectors: Float32Array[] = []
      for (const text of texts) vectors.push(...(await encoder.encode([encoder.tokenize(text)])))
      return vectors
    }
  })

  it('more than twice as many opinions without words of feeling are labelled rightly as by words alone', async () => {
    const texts = Object.values(opinions).flat()
    const right = (labels: readonly (string | undefined)[]) =>
      labels.filter((label, at) => label === (at < opinions.positive.length ? 'positive' : 'negative')).length
    const labelsOf = ({ result }: Awaited<ReturnType<typeof rules>>) => result.texts.map(({ scores }) => scores?.label)
    const byMeaning = await rules(brief(texts), { embed })
    const byWords = await rules(brief(texts))
    // 13 and 5.
    const [meant, worded] = [byMeaning, byWords].map(made => right(labelsOf(made)))
    assert.ok((meant ?? 0) >= 12 && (meant ?? 0) > 2 * (worded ?? 0), `${meant} and ${worded}`)
    assert.deepEqual(
      [byMeaning.result.method.name, byMeaning.result.method.model],
      ['sentence_embeddings', 'all-MiniLM-L6-v2'],
    )
    assert.match(byMeaning.text, /by sentence embeddings \(all-MiniLM-L6-v2\)/)
    assert.deepEqual([byWords.result.method.name, byWords.result.method.model], ['words', null])
  })

  it('statements of fact are neutral', async () => {
    const { result } = await rules(brief(facts), { embed })
    assert.ok(result.summary.neutral >= 25, JSON.stringify(result.texts.map(({ scores }) => scores?.label)))
  })

  it('the scores by words, and those of VADER, stay', async () => {
    const texts = [opinions.negative[0] as string, 'Great phone. No issues!']
    const withoutLabels = async (embed?: Embed) => {
      const { result } = await rules(brief(texts), embed ? { embed } : {})
      return result.texts.map(({ scores, vader }) => ({ ...scores, label: '', rating: 0, vader }))
    }
    assert.deepEqual(await withoutLabels(embed), await withoutLabels())
  })

  it('emojis and phrases that are read by rule decide', async () => {
    const texts = ['Great product 👎', '👎👎', '❤️', 'no issues', 'could not be happier', 'no bugs at all', '…']
    const { result } = await rules(brief(texts), { embed })
    assert.deepEqual(
      result.texts.map(({ scores }) => [scores?.label, scores?.rating]),
      ['negative', 'negative', 'positive', 'positive', 'positive', 'positive', 'neutral'].map(label => [label, null]),
    )
  })

  it('one phrase does not decide for a longer text', async () => {
    const texts = [`${opinions.negative.slice(0, 4).join(' ')} The box came with no issues.`]
    const { result } = await rules(brief(texts), { embed })
    assert.deepEqual(
      result.texts.map(({ scores }) => [scores?.label, scores?.rating === null]),
      [['negative', false]],
    )
  })

  it('a long text has the mean rating of its pieces', async () => {
    const worse = Array<string>(40)
      .fill(opinions.negative[0] as string)
      .join(' ')
    const better = Array<string>(40)
      .fill(opinions.positive[1] as string)
      .join(' ')
    const { result } = await rules(brief([worse, `${worse} ${better}`, better]), { embed })
    const [low = 0, middle = 0, high = 0] = result.texts.map(({ scores }) => scores?.rating ?? 0)
    assert.ok(low < 0 && low < middle && middle < high && high > 0, `${low}, ${middle}, ${high}`)
  })
})

describe('words label', () => {
  it('where the embedding model is another one, and it is said', async () => {
    const other: Embed = async texts => texts.map(() => new Float32Array(384).fill(1 / Math.sqrt(384)))
    const { result, warnings } = await rules(brief(['Great phone.']), { embed: other })
    assert.equal(result.method.name, 'words')
    assert.match(warnings?.join() ?? '', /weights.* for all-MiniLM-L6-v2 alone/)
  })

  it('where there is nothing to embed, and nobody is asked', async () => {
    const { method } = await labellerOf([], () => assert.fail('asked'))
    assert.equal(method.name, 'words')
    const labeller = await labellerOf(['good'], undefined)
    assert.deepEqual(labeller.label('good', score('good')), { label: 'positive', rating: null })
  })
})
