import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { categoryOf } from './category.ts'

describe('the category of a ticket', () => {
  it('is that of a person for at least 37 of 40 tickets to a shop', () => {
    const wrong = readFileSync(join(import.meta.dirname, 'shop.tsv'), 'utf8')
      .trim()
      .split('\n')
      .map(line => line.split('\t'))
      .filter(([category, , ticket = '']) => categoryOf(ticket).name !== category)
    assert.ok(wrong.length <= 3, JSON.stringify(wrong))
  })

  it('is how_to where something is asked, and nothing else is spoken of', () => {
    assert.equal(categoryOf('How do I clean the kettle?').name, 'how_to')
    assert.equal(categoryOf('How do I pay the invoice?').name, 'billing')
    assert.equal(categoryOf('You can reach me by day.').name, 'other')
  })

  it('is returns for what arrived broken and has to go back', () => {
    const ticket =
      'Hi, my parcel arrived broken yesterday. How long do I have to send it back, and who pays the postage? You can reach me by day.'
    assert.equal(categoryOf(ticket).name, 'returns')
  })

  it('is one of your own by several words that follow each other, in any of their forms', () => {
    const own = [
      { name: 'Gift cards', words: ['gift card'] },
      { name: 'Returns', words: ['send back'] },
      { name: 'Wi-Fi', words: ['wlan', '2FA'] },
    ]
    assert.deepEqual(categoryOf('Do you sell gift cards?', own), { name: 'Gift cards', words: ['gift cards'] })
    assert.equal(categoryOf('A card came with the gift.', own).name, 'other')
    assert.equal(categoryOf('Can I send it back?', own).name, 'Returns')
    assert.equal(categoryOf('The 2fa is off', own).name, 'Wi-Fi')
  })
})
