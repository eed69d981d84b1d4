import assert from 'node:assert/strict'
import { test } from 'node:test'
import { trainedName } from './trained-models.ts'

test('the name of a trained model has its suffix once, at most 128 characters and no half of one', () => {
  assert.equal(trainedName('Digits'), 'Digits, trained')
  assert.equal(trainedName('Digits, trained'), 'Digits, trained')
  const cut = trainedName(`${'a'.repeat(118)}${'\u{1f600}'.repeat(5)}`)
  assert.ok(cut.isWellFormed() && cut.length <= 128, cut)
})
