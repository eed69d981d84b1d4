import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { categoryOf } from './category.ts'

describe('the category of a ticket', () => {
  for (const [file, count, least] of [
    ['shop.tsv', 40, 37],
    ['fresh.tsv', 30, 26],
    ['later.tsv', 20, 16],
  ] as const)
    it(`is that of a person for at least ${least} of ${count} tickets to a shop (${file})`, () => {
      const tickets = readFileSync(join(import.meta.dirname, file), 'utf8')
        .trim()
        .split('\n')
      const wrong = tickets
        .map(line => line.split('\t'))
        .filter(([category, , ticket = '']) => categoryOf(ticket).name !== category)
      assert.equal(tickets.length, count)
      assert.ok(count - wrong.length >= least, JSON.stringify(wrong))
    })

  it('is no bug for a number of other things, and no delivery for a package of software', () => {
    for (const ticket of [
      'Can it rotate our files once they get bigger than 500 MB?',
      'It costs € 450, does it not?',
      'Invoice 500 names the wrong street',
      'I stayed in room 500 of your hotel',
    ])
      assert.notEqual(categoryOf(ticket).name, 'bug', ticket)
    for (const ticket of [
      'Why is there a prefix from the package name before all models?',
      'Which npm package do I need for this?',
    ])
      assert.notEqual(categoryOf(ticket).name, 'delivery', ticket)
    assert.equal(categoryOf('Your API answers with 500 since noon').name, 'bug')
    assert.equal(categoryOf('Where is my package? I need it on Monday.').name, 'delivery')
  })

  it('is safety where somebody was hurt or may be, whatever else is spoken of', () => {
    for (const ticket of [
      'The toaster gave me an electric shock',
      'My child was injured by your product',
      'I will sue you. My child got an electric shock from your lamp.',
      'I want a refund, the battery caught fire.',
      'My son had an allergic reaction, what do I do?',
      'This is dangerous!',
    ])
      assert.equal(categoryOf(ticket).name, 'safety', ticket)
  })

  it('is not safety where nothing has happened', () => {
    for (const ticket of [
      'Can it catch fire?',
      'The charger never caught fire, it only stopped.',
      'Does the smoke alarm come with batteries?',
      'Do you ship dangerous goods?',
      'You cut my hair too short',
      'Our sales exploded after your campaign',
    ])
      assert.notEqual(categoryOf(ticket).name, 'safety', ticket)
  })

  it('is legal where somebody goes to law, and not where a lawyer or a Sue writes', () => {
    for (const ticket of ['I will sue you.', 'My lawyer will write to you', 'We take you to court over the invoice.'])
      assert.equal(categoryOf(ticket).name, 'legal', ticket)
    for (const ticket of ['I am a lawyer and need an invoice', 'Will Sue call me back?', 'I will not sue'])
      assert.notEqual(categoryOf(ticket).name, 'legal', ticket)
  })

  it('is delivery where an order is waited for', () => {
    for (const ticket of ['Where is my order?', 'Where is my order? It was due Monday.', 'My order has not arrived'])
      assert.equal(categoryOf(ticket).name, 'delivery', ticket)
    assert.equal(categoryOf('Where is my order confirmation?').name, 'order')
  })

  it('is returns for what is not what was ordered, or does not fit', () => {
    for (const ticket of ['The dress I got is the wrong size', 'You sent the wrong item', 'The boots don’t fit'])
      assert.equal(categoryOf(ticket).name, 'returns', ticket)
    assert.equal(categoryOf('The chart shows the wrong colour').name, 'bug')
  })

  it('is outage for production, and not for a product', () => {
    assert.equal(categoryOf('Our production does not answer').name, 'outage')
    assert.equal(categoryOf('Tell me more of your products').name, 'other')
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
