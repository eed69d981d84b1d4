import assert from 'node:assert/strict'
import { it } from 'node:test'
import { measure } from './bar.ts'

const cases = await measure()

it('at least forty traces of real programs in seven languages are given', () => {
  assert.ok(cases.length >= 40)
  assert.ok(new Set(cases.map(({ result }) => result.language)).size >= 7)
})

it('the failing frame is right in all of them, with the code and without', () => {
  assert.deepEqual(
    cases.flatMap(({ name, right }) => (right ? [] : name)),
    [],
  )
})

it('most of them get a likely cause', () => {
  assert.ok(cases.filter(({ result }) => result.causes.length > 0).length >= 30)
})
