/** The gradient of every operator that is trained, against finite differences in float64. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { differentiableOperators } from './differentiable-operators.ts'
import { checkGradients } from './gradient-check.fixture.ts'
import { openNetwork } from './network.fixture.ts'
import { numberCases } from './number-cases.fixture.ts'
import { placeCases } from './place-cases.fixture.ts'

const cases = [...numberCases, ...placeCases]

for (const { operator, what, build, opset } of cases) {
  test(`${operator} ${what}`, async () => {
    const network = openNetwork({ seed: 7, opset })
    await checkGradients({ network, output: build(network) })
  })
}

test('every operator has a case', () => {
  const missing = [...differentiableOperators.keys()].filter(name => !cases.some(({ operator }) => operator === name))
  assert.deepEqual(missing, [])
})
