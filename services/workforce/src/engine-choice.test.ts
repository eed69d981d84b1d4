import assert from 'node:assert/strict'
import { it } from 'node:test'
import { codeOf, metadataOf } from '@millhand/api'
import { requirePrices } from './engine-choice.ts'

it('the most that a language model may cost is refused where nobody knows what it costs, and of rules it means nothing', () => {
  assert.throws(
    () => requirePrices('llm', { hasPrices: false }),
    error => codeOf(error) === 'engine_unavailable' && metadataOf(error).param === 'max_cost',
  )
  requirePrices('llm', { hasPrices: true })
  requirePrices('rules', { hasPrices: false })
})
