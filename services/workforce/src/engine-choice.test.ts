import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { codeOf, metadataOf } from '@millhand/api'
import { EngineChoice } from '@millhand/api/gen/millhand/workforce/v1/task_pb.ts'
import type { EngineKind, PublicKind } from './employee.ts'
import { chooseEngine, engineFaults, enginesOf, requirePrices } from './engine-choice.ts'

const { AUTO, LLM, RULES } = EngineChoice
const aKind: PublicKind = {
  id: 'write_poem',
  employee: 'ann',
  title: 'Write a poem',
  description: 'In lines.',
  engines: ['rules'],
  input_schema: {},
  output_schema: {},
  fields: [],
  example: {},
}
const withModel = { languageModel: true, hasPrices: false, imageModel: false, hasImagePrice: false }

for (const [engines, asked, chosen] of [
  [['rules', 'llm'], 'AUTO', 'rules'],
  [['rules', 'llm'], 'LLM', 'llm'],
  [['rules', 'llm'], 'RULES', 'rules'],
  [['rules'], 'AUTO', 'rules'],
  [['llm'], 'AUTO', 'llm'],
] as const satisfies (readonly [EngineKind[], keyof typeof EngineChoice, EngineKind])[])
  it(`a kind done by ${engines.join(' and ')} is done by ${chosen} where \`engine\` is ${asked.toLowerCase()}`, () => {
    assert.equal(chooseEngine({ ...aKind, engines }, {}, EngineChoice[asked], withModel), chosen)
  })

it('without a language model a kind is done by its rules, and refused where it has none or a model is asked for by name', () => {
  const without = { ...withModel, languageModel: false }
  const refused = (engines: EngineKind[], asked: EngineChoice) =>
    assert.throws(
      () => chooseEngine({ ...aKind, engines }, {}, asked, without),
      error => codeOf(error) === 'engine_unavailable' && metadataOf(error).param === 'engine',
    )
  assert.equal(chooseEngine({ ...aKind, engines: ['rules', 'llm'] }, {}, AUTO, without), 'rules')
  refused(['llm'], AUTO)
  refused(['rules', 'llm'], LLM)
})

it('the most that a language model may cost is refused where nobody knows what it costs, and of rules it means nothing', () => {
  assert.throws(
    () => requirePrices(aKind, 'llm', withModel),
    error => codeOf(error) === 'engine_unavailable' && metadataOf(error).param === 'max_cost',
  )
  requirePrices(aKind, 'llm', { ...withModel, hasPrices: true })
  requirePrices(aKind, 'rules', withModel)
})

describe('an input that only an image model can do', () => {
  const kind: PublicKind = { ...aKind, engines: ['rules'], image_model: { picture: ['photograph'] } }
  const photograph = { picture: 'photograph' }
  const withImages = { ...withModel, imageModel: true }

  it('is refused where none is configured, whatever language model there is: what would make it possible is said', () => {
    assert.throws(
      () => chooseEngine(kind, photograph, AUTO, withModel),
      error =>
        codeOf(error) === 'engine_unavailable' &&
        metadataOf(error).param === 'input.picture' &&
        /MILLHAND_IMAGE_URL/.test(String(error)),
    )
    assert.deepEqual(enginesOf(kind, withModel), ['rules'])
  })

  it('is done by it, and never by rules; all else stays with those', () => {
    assert.deepEqual(enginesOf(kind, withImages), ['rules', 'llm'])
    assert.equal(chooseEngine(kind, photograph, AUTO, withImages), 'llm')
    assert.equal(chooseEngine(kind, { picture: 'chart' }, AUTO, withImages), 'rules')
    assert.deepEqual(engineFaults(kind, photograph, LLM), [])
    assert.deepEqual(
      [engineFaults(kind, photograph, RULES), engineFaults(kind, { picture: 'chart' }, LLM)].map(
        ([fault]) => fault?.param,
      ),
      ['engine', 'engine'],
    )
  })

  it('has a `max_cost` only where the price of a picture is known', () => {
    assert.throws(
      () => requirePrices(kind, 'llm', { ...withImages, hasPrices: true }),
      error => metadataOf(error).param === 'max_cost' && /MILLHAND_IMAGE_MICROS/.test(String(error)),
    )
    requirePrices(kind, 'llm', { ...withImages, hasImagePrice: true })
  })
})
