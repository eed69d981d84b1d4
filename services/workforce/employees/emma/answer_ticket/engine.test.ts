import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Brief } from '../../src/brief.ts'
import { answer, assertChecks, brief } from './brief.fixture.ts'
import { checks } from './checks.ts'
import { rules } from './engine.ts'
import type { Input } from './result.ts'
import { senses } from './search/senses.fixture.ts'

describe('a ticket that the knowledge answers', () => {
  it('is answered in its words, each cited', async () => {
    const { result, citations, text } = await answer('For how long does the old key go on working after a rotation?')
    assert.equal(result.status, 'answered')
    assert.equal(
      result.answer,
      'A rotation makes a successor with the same name, scopes and lifetime. The old key goes on working for `overlap_seconds`: one day unless you say otherwise, one week at most. Put the new key into your program during that time.',
    )
    assert.equal(citations?.map(({ quote }) => quote).join(' '), result.answer)
    assert.deepEqual([...new Set(citations?.map(({ source }) => source))], ['Handbook'])
    assert.match(text, /Rotate a key/)
  })

  it('is read without its tags, whatever its typography and the spelling of its letters', async () => {
    const knowledge = [
      { title: 'Café', text: '## Café hours\nThe café is open from nine to five. It does not open on Sundays.' },
    ]
    const ask = async (ticket: string) => (await answer(ticket, { knowledge })).citations
    const plain = await ask("When is the café open? I can't find it.")
    assert.ok(plain && plain.length > 0)
    const mail =
      '<style>p { color: red }</style><p>When is the <b>ca</b>fe\u0301 open?</p><p>I can&rsquo;t find it.</p>'
    assert.deepEqual(await ask(mail), plain)
  })

  it('is found in files, and in plain text without headings', async () => {
    const files = [
      {
        name: 'a.md',
        media_type: 'text/markdown',
        bytes: Buffer.from('# Shop\n\n## Opening hours\nWe are open from nine to five.\n'),
      },
      {
        name: 'b.txt',
        media_type: 'text/plain',
        bytes: Buffer.from('Dogs are welcome in the shop.\n\nCats must stay outside.'),
      },
    ]
    const asked = (ticket: string) => rules(brief({ ticket, knowledge: [] }, { files }))
    assert.deepEqual((await asked('What are your opening hours?')).citations, [
      { source: 'a.md', quote: 'We are open from nine to five.' },
    ])
    assert.deepEqual((await asked('Are dogs welcome in the shop?')).citations?.[0], {
      source: 'b.txt',
      quote: 'Dogs are welcome in the shop.',
    })
    await assertChecks(brief({ ticket: 'What are your opening hours?', knowledge: [] }, { files }))
  })

  it('is answered from a single short sentence that has most of it, and from no other', async () => {
    const short = [{ title: 'Help', text: 'Refunds take five working days.' }]
    const statusOf = async (ticket: string) => (await answer(ticket, { knowledge: short })).result.status
    assert.equal(await statusOf('How long do refunds take?'), 'answered')
    for (const ticket of [
      'How long does delivery take?',
      'Do you give refunds for gift cards?',
      'Can I take my dog?',
      'Refunds?',
      'How long do refunds of vouchers take that were bought abroad?',
      'Do refunds take five working days where the bank account is abroad?',
    ])
      assert.equal(await statusOf(ticket), 'escalated', ticket)
  })

  it('is answered from two articles as a shop has them, and what they do not say is escalated', async () => {
    const knowledge = [
      {
        title: 'Returns',
        text: 'You can return an item within 30 days of delivery. Damaged items are refunded in full, and we pay for the return. Write to us with your order number and a photo of the damage.',
      },
      { title: 'Shipping', text: 'We ship within 2 working days. Delivery takes 3 to 5 days in the UK.' },
    ]
    const headingOf = async (ticket: string) => {
      const { result } = await answer(ticket, { knowledge })
      return result.status === 'answered' ? result.passages[0]?.heading : result.reason?.code
    }
    for (const [ticket, heading] of [
      ['Hi, I ordered a lamp last week and it came broken. Can I get my money back? Regards, Tom', 'Returns'],
      ['how long does delivery take', 'Shipping'],
      ['Do you sell gift cards?', 'not_covered'],
      ['Can I pay by invoice?', 'not_covered'],
    ] as const)
      assert.equal(await headingOf(ticket), heading, ticket)
  })

  it('is escalated where two articles answer it nearly as well, as where they contradict each other', async () => {
    const article = (title: string, days: string) => ({
      title,
      text: `You can return an item within ${days} of delivery. The label for it is in your account.`,
    })
    const { result } = await answer('How many days do I have to return an item after delivery?', {
      knowledge: [article('Returns in spring', '30 days'), article('Returns in autumn', '14 days')],
    })
    assert.deepEqual([result.status, result.reason?.code], ['escalated', 'unclear'])
    assert.match(result.reason?.message ?? '', /“Returns in (spring|autumn)” and “Returns in (spring|autumn)”/)
  })

  it('is escalated where the passage only points elsewhere, with what was found', async () => {
    for (const text of [
      'For refunds of damaged items please see the section “Payments”.',
      'How refunds of damaged items work is described in the chapter on payments.',
      'Refunds of damaged items: see below.',
    ]) {
      const { result } = await answer('How do refunds of damaged items work?', {
        knowledge: [{ title: 'Damaged items', text }],
      })
      assert.deepEqual([result.status, result.answer], ['escalated', null], text)
      assert.equal(result.passages[0]?.heading, 'Damaged items')
    }
    const { result } = await answer('How do refunds of damaged items work?', {
      knowledge: [{ title: 'Damaged items', text: 'Refunds of damaged items work by card, see the section Payments.' }],
    })
    assert.equal(result.status, 'answered')
  })

  it('is answered though it is misspelt', async () => {
    assert.equal(
      (await answer('How do I roatate a kay? the rotaton of keys')).result.passages[0]?.heading,
      'Rotate a key',
    )
  })

  it('is answered though the question stands in the middle of a long story', async () => {
    const story =
      'We have been happy customers since last spring, and my colleagues in the office use it for our logistics. '
    const { result } = await answer(
      `Hello team! ${story.repeat(4)} How do I scale an instance to zero replicas? ${story.repeat(4)} Regards, Jo`,
    )
    assert.deepEqual([result.status, result.passages[0]?.heading], ['answered', 'Scale an instance'])
  })

  it('is answered within the words allowed and without those to avoid', async () => {
    const short = await rules(brief({}, { constraints: { max_words: 24, avoid: ['successor'] } }))
    assert.ok(short.result.answer && !short.result.answer.includes('successor'))
    await assertChecks(brief({}, { constraints: { max_words: 24, avoid: ['successor'] } }))
    const missed = checks(brief({}, { constraints: { must_include: ['zebra'] } }), await rules(brief({})))
    assert.deepEqual(
      missed.filter(({ pass }) => !pass).map(({ id }) => id),
      ['must_include'],
    )
  })
})

describe('a platform that measures meaning', () => {
  const shop = [{ title: 'Bikes', text: '## Punctures\nReport a flat tyre.\n\n## Paying\nYou can pay by card.' }]

  it('is said to have found what is found in other words, each sentence cited', async () => {
    const asked = brief({ ticket: 'My wheel is broken', knowledge: shop })
    const { result, citations } = await rules(asked, { embed: senses })
    assert.deepEqual([result.status, result.found_by], ['answered', 'words_and_meaning'])
    assert.deepEqual(citations, [{ source: 'Bikes', quote: 'Report a flat tyre.' }])
    for (const { id, pass } of checks(asked, { result, text: '', citations: citations ?? [] })) assert.ok(pass, id)
    const { result: byWords } = await rules(asked)
    assert.deepEqual([byWords.status, byWords.found_by, byWords.passages], ['escalated', 'words', []])
  })

  it('is not asked about a ticket in a language that it does not read', async () => {
    const knowledge = [
      { title: 'Hilfe', text: '## Rückgabe\nSie können Ihre Bestellung innerhalb von 30 Tagen zurückgeben.' },
    ]
    const ticket = 'Wie lange kann ich meine Bestellung bitte noch zurückgeben?'
    const { result } = await rules(brief({ ticket, knowledge }), { embed: senses })
    assert.equal(result.found_by, 'words')
  })

  it('gets to see nothing personal', async () => {
    const seen: string[] = []
    await rules(brief({ ticket: 'My wheel is broken, mail jo.miller@mail.example', knowledge: shop }), {
      embed: texts => {
        seen.push(...texts)
        return senses(texts)
      },
    })
    assert.doesNotMatch(seen.join(), /miller|\[email/)
  })

  it('that fails is no reason to answer by words', async () => {
    await assert.rejects(
      () => rules(brief({}), { embed: () => Promise.reject(new Error('the model is gone')) }),
      /the model is gone/,
    )
  })
})

describe('a ticket is escalated', () => {
  const reason = async (ticket: string, input: Partial<Input> = {}, rest: Partial<Brief<Input>> = {}) => {
    const { result, citations } = await rules(brief({ ticket, ...input }, rest))
    assert.deepEqual([result.status, result.answer, citations], ['escalated', null, []])
    return result.reason?.code
  }

  it('when nothing answers it, with what comes nearest', async () => {
    assert.equal(await reason('Do you have an iPhone app?'), 'not_covered')
    assert.ok((await answer('Can I restrict a key to certain IP addresses?')).result.passages.length > 0)
  })

  it('when there is no knowledge, or none that is text', async () => {
    assert.equal(await reason('How do I rotate a key?', { knowledge: [] }), 'no_knowledge')
    assert.equal(await reason('How do I rotate a key?', { knowledge: [{ title: 'a', text: ' \n' }] }), 'no_knowledge')
  })

  it('when it asks for a person, says nothing, or is in another language', async () => {
    assert.equal(await reason('How do I rotate a key? I want to talk to a human.'), 'person_wanted')
    assert.equal(await reason('Hello, please help!!'), 'no_question')
    assert.equal(
      await reason('Wie kann ich bitte meinen Schlüssel austauschen, ohne dass etwas stillsteht?'),
      'language',
    )
    assert.equal(await reason('How do I rotate a key?', {}, { language: 'fr' }), 'language')
  })
})
