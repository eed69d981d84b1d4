import assert from 'node:assert/strict'
import { it } from 'node:test'
import { codeOf, metadataOf } from '@millhand/api'
import { EngineChoice } from '@millhand/api/gen/millhand/workforce/v1/task_pb.ts'
import { type EngineKind, type KindSpec, readCatalogue } from './catalogue.ts'
import { chooseEngine, requirePrices } from './engine-choice.ts'

const { AUTO, LLM } = EngineChoice
const aKind = readCatalogue()[0]?.kinds[0] as KindSpec
const withModel = { languageModel: true, hasPrices: false }

for (const [engines, asked, chosen] of [
  [['rules', 'llm'], 'AUTO', 'rules'],
  [['rules', 'llm'], 'LLM', 'llm'],
  [['rules', 'llm'], 'RULES', 'rules'],
  [['rules'], 'AUTO', 'rules'],
  [['llm'], 'AUTO', 'llm'],
] as const satisfies (readonly [EngineKind[], keyof typeof EngineChoice, EngineKind])[])
  it(`a kind done by ${engines.join(' and ')} is done by ${chosen} where \`engine\` is ${asked.toLowerCase()}`, () => {
    assert.equal(chooseEngine({ ...aKind, engines }, EngineChoice[asked], withModel), chosen)
  })

it('without a language model a kind is done by its rules, and refused where it has none or a model is asked for by name', () => {
  const without = { languageModel: false, hasPrices: false }
  const refused = (engines: EngineKind[], asked: EngineChoice) =>
    assert.throws(
      () => chooseEngine({ ...aKind, engines }, asked, without),
      error => codeOf(error) === 'engine_unavailable' && metadataOf(error).param === 'engine',
    )
  assert.equal(chooseEngine({ ...aKind, engines: ['rules', 'llm'] }, AUTO, without), 'rules')
  refused(['llm'], AUTO)
  refused(['rules', 'llm'], LLM)
})

it('the most that a language model may cost is refused where nobody knows what it costs, and of rules it means nothing', () => {
  assert.throws(
    () => requirePrices('llm', { hasPrices: false }),
    error => codeOf(error) === 'engine_unavailable' && metadataOf(error).param === 'max_cost',
  )
  requirePrices('llm', { hasPrices: true })
  requirePrices('rules', { hasPrices: false })
})
