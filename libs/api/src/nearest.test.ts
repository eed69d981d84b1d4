import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearest } from './nearest.ts'

test('a misspelt word gives the one that was meant', () => {
  const words = ['model', 'mode', 'max_attempts', 'input', 'id']
  assert.equal(nearest('modle', words), 'model')
  assert.equal(nearest('modell', words), 'model')
  assert.equal(nearest('maxAttempts', words), 'max_attempts')
  assert.equal(nearest('inptu', words), 'input')
  assert.equal(nearest('x', words), undefined)
  assert.equal(nearest('m'.repeat(1_000_000), words), undefined)
})
