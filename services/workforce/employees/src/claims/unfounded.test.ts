/** Lies that were planted, and honest texts that look alike: how many of each are found to claim more than was given. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readCatalogue } from '../catalogue.ts'
import corpus from './corpus.fixture.json' with { type: 'json' }
import everyday from './everyday-replies.fixture.json' with { type: 'json' }
import fourth from './fourth-writer.fixture.json' with { type: 'json' }
import grave from './grave.fixture.json' with { type: 'json' }
import sentences from './grave-sentences.fixture.json' with { type: 'json' }
import letters from './letters.fixture.json' with { type: 'json' }
import outside from './outside-writer.fixture.json' with { type: 'json' }
import inside from './rule-writer.fixture.json' with { type: 'json' }
import third from './third-writer.fixture.json' with { type: 'json' }
import { isGrave, unfounded } from './unfounded.ts'
import unseen from './unseen.fixture.json' with { type: 'json' }

const GRAVE: ReadonlySet<string> = new Set(['money', 'law', 'health'])

/** Each text with whether something was found. */
const judgedOf = (texts: typeof corpus) =>
  texts.flatMap(({ kind, from, about, honest, lies }) => {
    const isFound = (text: string) =>
      unfounded({ text, from, about, isOfTable: kind === 'david/create_report' }).length > 0
    return [
      ...honest.map(text => ({ text, of: undefined, found: isFound(text) })),
      ...lies.map(({ of, text }) => ({ text, of, found: isFound(text) })),
    ]
  })

const judged = judgedOf(corpus)

it('each text names a kind that an employee has', () => {
  const kinds = new Set(readCatalogue().flatMap(({ id, kinds }) => kinds.map(kind => `${id}/${kind.id}`)))
  const named = [corpus, fourth, grave, letters, outside, inside, third, unseen].flat().map(({ kind }) => kind)
  assert.deepEqual(
    named.filter(kind => !kinds.has(kind)),
    [],
  )
})

for (const [by, texts, count, mostRefused, mostMissed, missedGrave] of [
  ['language models, as they write them', letters, 120, 2, 6, 0],
  ['a writer who had not read the rules', outside, 120, 3, 5, 0],
  ['the writer who had not read the rules, further ones', unseen, 120, 11, 12, 0],
  ['a writer who knew the rules', inside, 207, 9, 11, 0],
  ['a writer of one lie about money, law or health among honest sentences', grave, 60, 7, 7, 7],
] as const)
  it(`of texts by ${by}, of ${count} at most ${mostRefused} honest ones are refused and ${mostMissed} lies missed, ${missedGrave} of them grave`, () => {
    const all = judgedOf(texts as typeof corpus)
    const refused = all.filter(({ of, found }) => of === undefined && found)
    const missed = all.filter(({ of, found }) => of !== undefined && !found)
    assert.equal(all.length, count)
    assert.ok(refused.length <= mostRefused, JSON.stringify(refused))
    assert.ok(missed.length <= mostMissed, JSON.stringify(missed))
    assert.equal(missed.filter(({ of }) => GRAVE.has(of ?? '')).length, missedGrave, JSON.stringify(missed))
  })

/** No rule was made or changed for these: what the rules are worth on new texts. Mend rules by the others. */
for (const [by, texts, found, passed] of [
  ['a writer who knew the rules', third, 20, 19],
  ['a writer who had not read the rules', fourth, 21, 16],
] as const)
  it(`of 60 texts by ${by} that no rule was made for, ${found} of 30 lies are found and ${passed} of 30 honest texts pass`, () => {
    const all = judgedOf(texts as typeof corpus)
    assert.equal(all.length, 60)
    assert.equal(all.filter(({ of, found }) => of !== undefined && found).length, found)
    assert.equal(all.filter(({ of, found }) => of === undefined && !found).length, passed)
  })

for (const [what, { honest, lies }, found, refused] of [
  ['sentences about money, law, health and acts', sentences, 23, 6],
  ['everyday replies and posts', everyday, 78, 0],
] as const)
  it(`of ${what}, ${found} of ${lies.length} lies and ${refused} of ${honest.length} honest ones fail a task`, () => {
    const failing = (all: typeof lies) =>
      all.filter(({ text, from }) => unfounded({ text, from: [from] }).some(isGrave)).length
    assert.equal(failing(lies), found)
    assert.equal(failing(honest), refused)
  })

describe('of planted lies over six kinds', () => {
  it('at least 75 of 80 are found, and each that is of money, law or health', () => {
    const missed = judged.filter(({ of, found }) => of !== undefined && !found)
    assert.equal(judged.filter(({ of }) => of !== undefined).length, 80)
    assert.ok(missed.length <= 5, JSON.stringify(missed))
    assert.deepEqual(
      missed.filter(({ of }) => GRAVE.has(of ?? '')),
      [],
    )
  })

  it('honest texts are told from them: at most 3 of 80 are taken for one', () => {
    const refused = judged.filter(({ of, found }) => of === undefined && found)
    assert.equal(judged.filter(({ of }) => of === undefined).length, 80)
    assert.ok(refused.length <= 3, JSON.stringify(refused))
  })
})

describe('a text claims', () => {
  for (const [says, text, from, found] of [
    ['a time of day in other words', 'We meet at 2 pm.', 'The meeting is at 14:00.', []],
    ['a figure rounded', 'There were almost 1,500 loans.', 'There were 1,482 loans.', []],
    ['a figure rounded the wrong way', 'There were more than 1,500 loans.', 'There were 1,482 loans.', ['figure']],
    ['a figure of something else', 'We have 30 shops.', 'A lamp costs 30 euros.', ['figure']],
    ['a span in another unit', 'It takes two weeks.', 'It takes 14 days.', []],
    ['a count of what is listed', 'We speak three languages.', 'We speak Dutch, French and English.', []],
    ['the day of the week of a date', 'It opens on Monday, 12 January.', 'It opens on 2026-01-12.', []],
    ['another day of the week', 'It opens on Tuesday, 12 January.', 'It opens on 2026-01-12.', ['date']],
    ['a name by its first letters', 'We ship to the UK.', 'We ship to the United Kingdom.', []],
    ['what was denied', 'We will refund the order.', 'Do not refund the order.', ['money']],
    ['what may not be', 'The cream is clinically tested.', 'The cream was not clinically tested.', ['claim', 'health']],
    ['a denial that was given', 'We cannot refund custom prints.', 'Custom prints: no refund.', []],
    ['that an act is done that is planned', 'We have replaced the lid.', 'The lid will be replaced.', ['act']],
    ['an act that nobody named', 'We have cancelled your order.', 'The order is late.', ['act']],
    ['a quotation', '“It never broke once”, says Ann.', 'Ann uses it daily.', ['quote', 'quote']],
    ['money by the number of an order', 'It costs 49 euros.', 'Order 49 costs 30 euros.', ['figure']],
    ['a unit that stands before its figure', 'It takes 5.5 hours.', 'Median hours: 5.5', []],
    ['things by a span', 'We have 30 shops.', 'A repair takes 30 minutes.', ['figure']],
    ['half of a year', 'In six months it grew.', 'In the half-year it grew.', []],
    ['a share of given figures', 'Of 200 lamps 50 were mended, or 25 %.', 'Of 200 lamps 50 were mended.', []],
    ['another share', 'Of 200 lamps 50 were mended, or 40 %.', 'Of 200 lamps 50 were mended.', ['figure']],
    ['the month in a name', 'We meet in May.', 'Maya meets us.', ['date']],
    ['no month in a name', 'We met Maya and Jan.', 'Maya and Jan met.', []],
    ['an address that begins alike', 'See https://a.example/b.', 'See https://a.example/bc.', ['address']],
    ['an address without its scheme', 'See evil.example today.', 'Open today.', ['address']],
    ['a given address without its scheme', 'See a.example/b today.', 'See https://a.example/b today.', []],
    ['words for at once', 'Please let us know right away.', 'We can be called.', []],
    ['what needs no tools', 'No tools required.', 'It is set up without tools.', []],
    ['what needs a tool', 'No tools required.', 'It is set up with tools.', ['money']],
    [
      'something in another language',
      'Your order is late, and we are sorry for the wait. Wir haben Ihnen den vollen Kaufpreis erstattet. It comes soon, and we will write to you as soon as we know more about it.',
      'The order is late and comes soon. We are sorry, and we write as soon as we know more.',
      ['name', 'name', 'claim'],
    ],
    [
      'given words of another language',
      'Its name is Das Haus und der Garten.',
      'Its name is Das Haus und der Garten.',
      [],
    ],
    [
      'a name beside words that look German',
      'Ask for the cake die Nonna makes with love und Anna.',
      'Ask for the cake.',
      ['name', 'name'],
    ],
    ['a part of a given length', 'In five days you ride 62 km a day.', 'Of 310 km in five riding days.', []],
    ['another part of it', 'In five days you ride 74 km a day.', 'Of 310 km in five riding days.', ['figure']],
    [
      'a product of what has nothing to do with each other',
      'It carries 300 kg.',
      'It has two heights and carries 150 kg.',
      ['figure'],
    ],
    ['a price by its weight', '200 g cost £5.20.', 'Cheese costs £2.60 per 100 g, a wedge has 200 g.', []],
    ['the span between two times', 'It took 85 minutes.', 'He arrived 9.10 and left 10.35.', []],
    ['another span', 'It took 95 minutes.', 'He arrived 9.10 and left 10.35.', ['figure']],
    ['a time in words', 'It ended at twenty to two.', 'It ended at 1:40 a.m.', []],
    [
      'twice a guarantee',
      'Both of two parts have a 24-month guarantee.',
      'Two parts: guarantee of 12 months.',
      ['figure'],
    ],
    ['a date in figures', 'Come on 8/22.', 'It is on Saturday, August 22, 2026.', []],
    ['a remedy that is denied', 'We make soap, not treatments.', 'We make soap.', []],
    ['a remedy that may be found', 'You may find it cures eczema.', 'We make soap.', ['health']],
    ['a remedy that is never without effect', 'It never fails to heal.', 'We make soap.', ['health']],
    ['a remedy like which there is no other', 'No soap heals acne like ours.', 'We make soap.', ['health']],
    ['an example', 'For six people you might take 200 g.', 'We make cheese.', []],
    ['what a reader might lose', 'You might lose 7 kg of it.', 'We make tea.', ['figure']],
    ['a price elsewhere', 'You may find it cheaper elsewhere.', 'We make soap.', []],
    ['that nothing is dangerous', 'There is no danger.', 'We make soap.', ['health']],
    ['what is extra as included', 'CA$380, book included.', 'CA$380, textbook CA$45 extra.', ['money']],
    ['a speaker whose words were given', 'Contrast, says Anna Tyson.', 'Anna Tyson: "Contrast is all."', []],
    ['a speaker whose words were not', 'Contrast, says Anna Tyson.', 'Anna Tyson makes cheese.', ['quote']],
    ['nothing by a contraction', 'It includes what weren’t there.', 'It is a lamp.', []],
    ['nothing: it asks', 'Would a refund help?', 'The order is late.', []],
  ] as const)
    it(says, () =>
      assert.deepEqual(
        unfounded({ text, from: [from] }).map(({ group }) => group),
        found,
      ),
    )
})

it('is read in time however long it is, and of whatever', { timeout: 300_000 }, () => {
  const parts =
    'a|1|1,|1.|A|A |two |@|www.|’|.|“|"a b c |[your |é|漢|\n|1\u00a0|free |money |no |you asked for |your a |1 Jan |a, |and |half |we will |3 5 '
  for (const part of parts.split('|')) {
    const text = part.repeat(50_000 / part.length)
    unfounded({ text, from: [text] })
    unfounded({ text, from: ['Bread costs 3 euros.'] })
  }
})

/** At each of its places a rule could begin: a million digits take less than a second, and a quarter of an hour if each did. */
for (const [part, found] of [
  ['1', 1],
  ['_a', 0],
] as const)
  it(`a million characters of “${part}” have findings: ${found}`, { timeout: 300_000 }, () => {
    const text = part.repeat(1_000_000 / part.length)
    assert.equal(unfounded({ text, from: ['Bread costs 3 euros.'] }).length, found)
  })

it('is read in time where one sentence claims a thing with each of its words', { timeout: 300_000 }, () => {
  let text = ''
  for (let at = 0; text.length < 200_000; at++) text += `no ${'abcdefghij'[at % 10]}${at} charge, `
  assert.ok(unfounded({ text, from: ['The bread is free from 9 euros.'] }).length > 1_000)
})

it('is read in time where each claim and each given sentence differs', { timeout: 300_000 }, () => {
  const longOf = (part: (at: number) => string): string => {
    let text = ''
    for (let at = 0; text.length < 50_000; at++) text += part(at)
    return text
  }
  for (const [says, given] of [
    ['It is free of charge today, ', 'It is free from 9 euros today, '],
    ['A refund of all ', 'No refund of any '],
    ['No tools needed: ', 'It needs tools '],
    ['It costs 1', 'It costs 2'],
    ['We have cancelled ', 'We cancel '],
    ['£1 left us: ', 'It will be refunded '],
  ] as const)
    unfounded({ text: longOf(at => `${says}${at}. `), from: [longOf(at => `${given}${at}.\n\n`)] })
})

for (const [text, from] of [
  ['We have refunded your whole order, is that fine?', 'A parcel arrived broken.'],
  ['You are entitled to compensation under EU law, all right?', 'A parcel arrived late.'],
  ['We wired the sum to your account.', 'A parcel arrived late.'],
  ['The sum was transferred to your bank account.', 'A parcel arrived late.'],
  ['Good news: your funds are coming home.', 'A parcel arrived late.'],
  ['You wanted an answer and you are entitled to a full refund.', 'A parcel arrived late.'],
  ['There is no doubt that you get a refund on sale items.', 'There are no refunds on sale items.'],
] as const)
  it(`a grave claim is found in “${text}”`, () => {
    assert.ok(unfounded({ text, from: [from] }).some(isGrave))
  })
