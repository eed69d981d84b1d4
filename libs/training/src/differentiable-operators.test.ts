import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { differentiableOperators } from './differentiable-operators.ts'

test('the table of operators on the page is that of the rules', () => {
  const page = readFileSync(new URL('../../../docs/decisions/training.md', import.meta.url), 'utf8')
  const table = /\| family \| operators \|\n\|---\|---\|\n((?:\|.*\|\n)+)/.exec(page)?.[1] ?? ''
  const listed = Array.from(table.matchAll(/`(\w+)`/g), ([, name]) => name)
  assert.deepEqual(listed.toSorted(), [...differentiableOperators.keys()].toSorted())
})
