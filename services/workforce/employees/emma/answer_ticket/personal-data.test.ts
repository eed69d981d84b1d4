import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { answer, assertChecks, brief } from './brief.fixture.ts'
import { rules } from './engine.ts'

const rotation = 'To rotate a key, write to bob@x.example. The key is then rotated for you.'

describe('what goes out', () => {
  const personal = [
    'jo.miller@mail.example',
    '+49 30 1234567',
    '4111 1111 1111 1111',
    'DE89 3704 0044 0532 0130 00',
    'hunter2',
  ]
  const ticket = `How do I rotate a key? Mail ${personal[0]}, call ${personal[1]}, card ${personal[2]}, ${personal[3]}, password: ${personal[4]}`

  it('has nothing personal of the ticket in it', async () => {
    const whole = JSON.stringify(await answer(ticket, { subject: `From ${personal[0]}` }))
    for (const secret of personal) assert.ok(!whole.includes(secret), secret)
    const { result } = await answer(ticket)
    assert.deepEqual(result.personal_data.map(({ kind }) => kind).toSorted(), [
      'card',
      'email',
      'iban',
      'phone',
      'secret',
    ])
    assert.equal(result.passages[0]?.heading, 'Rotate a key')
  })

  it('has nothing personal of the knowledge in it, but the contacts that may go out', async () => {
    const own = [
      { title: 'Contact ann@shop.example', text: 'Our hotline for returns is +49 30 1234567 or help@shop.example.' },
    ]
    const asked = { ticket: 'What is the hotline for returns?', knowledge: own }
    const { result, warnings } = await rules(brief(asked))
    assert.equal(result.answer, 'Our hotline for returns is [phone 1] or [email 2].')
    assert.match(warnings?.join() ?? '', /public_contacts/)
    assert.ok(!JSON.stringify(await rules(brief(asked))).includes('ann@shop'))
    const open = { ...asked, public_contacts: ['+49 (30) 123 45 67', 'help@shop.example'] }
    assert.equal((await rules(brief(open))).result.answer, own[0]?.text)
    await assertChecks(brief(asked))
    await assertChecks(brief(open))
  })

  it('has no name in it that only its sentence tells, and is escalated where one is left', async () => {
    const refunds = (more: string) => [
      { title: 'Refunds', text: `You get a refund by mail. ${more} It takes five days.` },
    ]
    const named = brief({
      ticket: 'My password: x1y2z. How do I get a refund by mail?',
      knowledge: refunds('Name: Boris Petrovsky, refund desk by mail.'),
    })
    assert.match((await rules(named)).result.answer ?? '', /Name: \[name 1\], refund desk/)
    await assertChecks(named)
    const thanked = brief({
      ticket: 'How do I get a refund by mail?',
      knowledge: refunds('For a refund by mail many thanks, Boris Petrovsky.'),
    })
    const { result } = await rules(thanked)
    assert.deepEqual([result.answer, result.reason?.code], [null, 'personal_data'])
    await assertChecks(thanked)
  })

  it('is quoted with the placeholders of the whole knowledge, its titles too', async () => {
    const asked = brief({ knowledge: [{ title: 'Keys, by ann@x.example', source: 'kb/1', text: rotation }] })
    assert.match((await rules(asked)).result.answer ?? '', /\[email 2\]/)
    await assertChecks(asked)
  })
})
