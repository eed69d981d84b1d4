import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { priorityOf } from './priority.ts'

/** Labelled by what a support lead would say. `first` chose the words that are looked for; `fresh` chose nothing. */
const tickets = readFileSync(join(import.meta.dirname, 'priority.tsv'), 'utf8')
  .trim()
  .split('\n')
  .map(line => {
    const [part = '', level = '', ticket = ''] = line.split('\t')
    return { part, ticket, level, found: priorityOf(ticket).level }
  })

describe('the priority of a ticket', () => {
  for (const [part, count, least] of [
    ['first', 66, 64],
    ['fresh', 20, 13],
  ] as const)
    it(`is a support lead’s for at least ${least} of ${count} tickets (${part})`, () => {
      const tried = tickets.filter(ticket => ticket.part === part)
      const wrong = tried.filter(({ level, found }) => level !== found)
      assert.equal(tried.length, count)
      assert.ok(count - wrong.length >= least, JSON.stringify(wrong))
    })

  it('is at least high where money was taken and has to come back', () => {
    for (const ticket of [
      'charged twice, I want my money back NOW',
      'give me my money back',
      'You took 240 euros from my account. Refund it.',
    ])
      assert.match(priorityOf(ticket).level, /^(?:high|urgent)$/)
  })

  it('is urgent where somebody was hurt or something burns, and high where somebody may be or goes to law', () => {
    for (const [ticket, level] of [
      ['The toaster gave me an electric shock', 'urgent'],
      ['My child was injured by your product', 'urgent'],
      ['I will sue you. My child got an electric shock from your lamp.', 'urgent'],
      ['My baby swallowed a button of it', 'urgent'],
      ['This is dangerous!', 'high'],
      ['I will sue you', 'high'],
      ['We take you to court', 'high'],
      ['Can it cause an allergic reaction?', 'normal'],
      ['Nobody was hurt, it was not dangerous', 'normal'],
      ['You cut us off', 'normal'],
    ] as const)
      assert.equal(priorityOf(ticket).level, level, ticket)
  })

  for (const [file, count, least] of [
    ['fresh.tsv', 30, 30],
    ['later.tsv', 20, 19],
  ] as const)
    it(`is a support lead’s for at least ${least} of ${count} tickets to a shop (${file})`, () => {
      const tickets = readFileSync(join(import.meta.dirname, file), 'utf8')
        .trim()
        .split('\n')
      const wrong = tickets
        .map(line => line.split('\t'))
        .filter(([, level, ticket = '']) => priorityOf(ticket).level !== level)
      assert.equal(tickets.length, count)
      assert.ok(count - wrong.length >= least, JSON.stringify(wrong))
    })

  it('is no higher for a day that is only named', () => {
    for (const ticket of ['Are you open tomorrow?', 'Call me back tonight or tomorrow.', 'Which films are on today?'])
      assert.equal(priorityOf(ticket).level, 'normal')
    assert.equal(priorityOf('It has to be fixed by tomorrow.').level, 'high')
  })

  it('is no higher where somebody only asks how long something can be sent back', () => {
    assert.equal(priorityOf('How long do I have to send it back?').level, 'normal')
    assert.equal(priorityOf('Can I send it back?').level, 'normal')
    assert.equal(priorityOf('There is a payment on my card that is not mine, send it back').level, 'high')
  })

  it('is normal for a question how refunds go', () => {
    for (const ticket of ['What is your refund policy?', 'Can I get a refund within 14 days?', 'Is smoking allowed?'])
      assert.equal(priorityOf(ticket).level, 'normal')
  })
})
