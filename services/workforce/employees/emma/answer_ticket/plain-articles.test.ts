/** Articles as people have them: questions and answers, titles without marks, tables of contents, lists, code and links. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Brief } from '../../src/brief.ts'
import { checks } from './checks.ts'
import { rules } from './engine.ts'
import type { Input } from './result.ts'
import { passagesOf } from './search/passages.ts'

async function answered(ticket: string, text: string, title = 'FAQ') {
  const input = { ticket, knowledge: [{ title, text }] }
  const brief: Brief<Input> = { topic: '', tone: '', constraints: {}, files: [], seed: 1, input }
  const answer = await rules(brief)
  for (const { id, pass, value } of checks(brief, answer)) assert.ok(pass, `${id}: ${value}`)
  return answer
}

const answerTo = async (ticket: string, text: string) => (await answered(ticket, text)).result.answer

const headingsIn = (text: string) => passagesOf({ name: 'a', text }).map(({ heading }) => heading)

describe('a plain text', () => {
  const faq = `
XZ Utils FAQ
============

Q:  What do the letters XZ mean?

A:  Nothing. They are just two letters, which come from the file format
    suffix .xz.


Q:  I have many .tar.7z files. Can I convert them to .tar.xz without
    spending hours recompressing the data?

A:  There is a script in the extra directory.


Q:  Do XZ Utils support the .7z format?

A:  No. Use 7-Zip or p7zip to handle .7z files.
    The .7z format of archives has other headers.
`

  it('is cut at its questions, each answered from its beginning', async () => {
    assert.deepEqual(headingsIn(faq), [
      'What do the letters XZ mean?',
      'I have many .tar.7z files. Can I convert them to .tar.xz without spending hours recompressing the data?',
      'Do XZ Utils support the .7z format?',
    ])
    assert.match((await answerTo('Do XZ Utils support the 7z format of archives?', faq)) ?? '', /^No\. Use 7-Zip/)
    assert.equal((await answered('How do I pay my bill?', faq)).result.status, 'escalated')
  })

  it('has no title where a paragraph begins whose first line is short', () => {
    const text = `Why are there so many projects?

\tThe first maintainer had little time.

\tIn 2002, Albert moved it to http://ps.example.net.  This
\twas done to ensure that nothing is lost.

\tSince then it is kept at the home of the new project
\tand all of it is tested there.

Start the server

npm start
`
    assert.deepEqual(headingsIn(text), ['Why are there so many projects?', 'Start the server'])
  })

  it('has questions on lines of their own, numbered or bold, and titles', async () => {
    for (const text of [
      'How do I pay?\nBy card.\n\nWhen do you open?\nAt nine.',
      '1. How do I pay?\n\nBy card.\n\n2. When do you open?\n\nAt nine.',
      '**How do I pay?**\nBy card.\n\n**When do you open?**\nAt nine.',
      'Q1: How do I pay?\nA1: By card.\nQ2: When do you open?\nA2: At nine.',
      'How do I pay?\nBy card.\nWhen do you open?\nAt nine.',
      'Payment\nHow do I pay?\nBy card.\n\nHours\nWhen do you open?\nAt nine.',
      'How do I pay?\n-------------\nBy card.\n\nWhen do you open?\n-----------------\nAt nine.',
    ])
      assert.deepEqual(headingsIn(text), ['How do I pay?', 'When do you open?'], text)
    assert.deepEqual(headingsIn('Paying\nYou pay by card.\n\nOpening hours\nWe open at nine.'), [
      'Paying',
      'Opening hours',
    ])
    assert.deepEqual(headingsIn('Dogs are welcome here.\n\nShould you ask, cats too?\nThey are.'), [
      'a',
      'Should you ask, cats too?',
    ])
    assert.deepEqual(headingsIn('- How do I pay?\n- When do you open?'), ['a'])
    const size = 'Can I exchange an item for another size?\nNo. Return it, and order the other size.'
    const cards = 'Payment\nWhich cards do you take?\nWe take Visa. American Express is not accepted.'
    assert.equal(
      await answerTo('Do you accept American Express?', `${size}\n\n${cards}`),
      'We take Visa. American Express is not accepted.',
    )
  })

  it('does not answer one question with the short answer to another', async () => {
    const shop = `Q: Which payment methods do you accept?
A: Visa, Mastercard, PayPal and bank transfer.

Q: Can I pay by invoice?
A: Only companies can.

Q: How do I cancel an order?
A: Open My orders and press Cancel, as long as the order has not been packed.

Q: Is there a warranty on headphones?
A: Two years. Keep the receipt.

Q: How do I return an item?
A: Print the label in My orders and bring the parcel to a post office within 30 days.

Q: When do I get my refund?
A: Within 5 days after we have received the item.

Q: How do I reset my password?
A: Use Forgot password on the login page; the link works for one hour.
`
    assert.equal(await answerTo('Can I pay in instalments?', shop), null)
    assert.equal(await answerTo('Can I pay by invoice?', shop), 'Only companies can.')
  })

  it('of paragraphs alone is answered from one of them, or not', async () => {
    const filler = Array.from({ length: 40 }, (_, at) => `Room ${at} has a bed and a desk and looks on to the yard.`)
    const within = (days: number) =>
      `An item that was damaged on delivery can be returned within ${days} days of delivery.`
    const ask = async (...paragraphs: string[]) =>
      (await answered('Within how many days of delivery can a damaged item be returned?', paragraphs.join('\n\n')))
        .result
    assert.equal((await ask(...filler, within(30))).answer, within(30))
    const { status, reason } = await ask(within(14), ...filler, within(30))
    assert.deepEqual([status, reason?.code], ['escalated', 'unclear'])
  })
})

it('tables of contents, menus and pointers are no passages', async () => {
  const text = `
# Tool

## Table of Contents
- [Installation](#installation)
- **[Uninstall versions](#uninstall-versions)**
- [Licence](LICENSE.md)

Home | Uninstall | Shop

## More
Uninstall versions: see the chapter Uninstall versions.

## Uninstall versions
To uninstall versions that are old, run tool uninstall.
`
  assert.deepEqual(headingsIn(text), ['More', 'Uninstall versions'])
  const { result } = await answered('How do I uninstall versions that are old?', text)
  assert.equal(result.answer, 'To uninstall versions that are old, run tool uninstall.')
  const plain =
    'Contents\n1. Paying ..... 2\n2. Opening hours ..... 3\n3. Returns ... 4\n\nPaying\nBy card.\n\nOpening hours\nAt nine.\n\nReturns\nBy mail.'
  assert.deepEqual(headingsIn(plain), ['Paying', 'Opening hours', 'Returns'])
})

describe('an answer', () => {
  it('has what its sentences point back to', async () => {
    const text =
      '## Slow log entries\nSlow log entries mean that the disk is busy. Move the log to another disk. Large requests can also cause slow log entries.'
    assert.equal(
      await answerTo('What can cause slow log entries with large requests?', text),
      'Slow log entries mean that the disk is busy. Move the log to another disk. Large requests can also cause slow log entries.',
    )
  })

  it('has a list whole, with the sentence that announces it, and code whole', async () => {
    const list =
      '## Moving house\nTo change your address for deliveries, do this:\n- Open the settings.\n- Choose Address.\n- Save.\n\nWe write to you then.'
    assert.equal(
      await answerTo('How do I change my address for deliveries in the settings?', list),
      'To change your address for deliveries, do this:\n- Open the settings.\n- Choose Address.\n- Save.',
    )
    assert.equal(
      await answerTo('How do I change my address for deliveries in the settings?', list.replaceAll(/^- /gm, '7. ')),
      'To change your address for deliveries, do this:\n7. Open the settings.\n7. Choose Address.\n7. Save.',
    )
    const code =
      '## Log rotation\nRotate the log files like this:\n\n```go\n// Rotates.\nw := log.Rotate(file)\n\nlog.New(w)\n```\nIt is safe.'
    assert.match(
      (await answerTo('How do I rotate log files?', code)) ?? '',
      /^Rotate the log files like this:\n```go\n\/\/ Rotates\.\nw := log\.Rotate\(file\)\n\nlog\.New\(w\)\n```/,
    )
  })

  it('does not begin in the middle of a section', async () => {
    const filler = 'The price of each room is in the list that hangs beside the door of the house. '
    const text = `## Can I cancel a booking of a room?\nNo. A booking of a room can't be cancelled.\n${filler.repeat(12)}\n\nWho cancels a booking of a room in May pays for the booking of the room.\n\n## Keys\nKeys hang at the door.`
    const { result } = await answered('Can I cancel a booking of a room?', text)
    assert.match(result.answer ?? '', /^No\. A booking/)
  })

  it('has no exception without the rule that it is one to', async () => {
    const text = `## Could you provide a single font file that covers every language?
A single file is not possible, because there are more glyphs than can fit into a single font. CJK alone is as large as it can get. In addition, different scripts prefer different heights of lines. We try to have suitable heights for each script rather than forcing all to fit one. The UI fonts are an exception to this, however, so using them we could make a single font with a single height. However, we are working on one font in a few files. We can probably get one file for CJK, one for common scripts of living languages, and one for the others.`
    const told = (await answerTo('Is there one big font file with all languages in it?', text)) ?? ''
    assert.match(told, /We try to have suitable heights [^.]*\. The UI fonts are an exception to this/)
  })

  it('has the target of each link, or its words alone', async () => {
    const text =
      '## Opening an issue\nTo report a broken parcel [open an\nissue][new], see [parcels](#parcels) and [terms](terms.md).\n\n[new]: https://shop.example/new "New"\n'
    assert.equal(
      await answerTo('How do I report a broken parcel?', text),
      'To report a broken parcel [open an issue](https://shop.example/new), see parcels and terms.',
    )
  })
})

describe('why a ticket is escalated', () => {
  it('says which articles come nearest, and no more than is known', async () => {
    const knowledge = ['deprecate', 'audit'].map(name => ({
      title: `${name}.md`,
      text: `## Description\nRemove one version of a package from the registry with npm ${name}.`,
    }))
    const input = { ticket: 'How do I remove one version of a package from the registry?', knowledge }
    const brief: Brief<Input> = { topic: '', tone: '', constraints: {}, files: [], seed: 1, input }
    const { result, text } = await rules(brief)
    assert.match(result.reason?.message ?? '', /“Description” of (deprecate|audit)\.md and “Description” of/)
    assert.match(text, /Nearest in the knowledge: “Description” of \w+\.md, “Description” of/)
    const long = `## Slow log\n${'The log is slow where the disk is slow. '.repeat(20)}\n\nThe log of slow entries is on the slow disk.`
    const { text: near } = await answered('Do you sell slow coffee and bicycles in Paris?', long)
    assert.match(near, /Nearest in the knowledge: “Slow log” of FAQ\./)
  })

  it('lists as masked what goes out, and nothing else of the knowledge', async () => {
    const { result } = await answered(
      'Do you have an app? Mail jo.miller@mail.example',
      '## Keys\nCall +49 30 1234567 for a key.',
    )
    assert.deepEqual(
      result.personal_data.map(({ kind }) => kind),
      ['email'],
    )
  })
})
