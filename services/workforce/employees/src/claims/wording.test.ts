/** Honest wordings that are no claims beyond what was given, each beside a lie that looks alike. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { unfounded } from './unfounded.ts'

type Row = readonly [says: string, text: string, given: string, about?: string]

const groupsOf = ([, text, given, about = '']: Row) =>
  unfounded({ text, from: given.split('\n\n'), about: [about] }).map(({ group }) => group)

const shop = 'Cakes cost £68 and £95. Order 2214 was collected on Saturday 6 June 2026.'
const choice = 'The customer may choose: 30 % of the price back, or the same cake baked again.'

describe('figures that follow from given ones', () => {
  const rows: readonly Row[] = [
    ['a share of an amount', 'For the cake you get £20.40 back.', `${shop}\n\n${choice}`],
    ['what is left of it', 'You pay $204 for it.', 'The overhaul costs $240.\n\nThe price is reduced by 15 %.'],
    ['a sum', 'Both dogs together: $90.', 'The first dog costs $52, each further dog $38.'],
    ['so many of one', 'Two bags come to £19.60.', 'A bag costs £9.80.'],
    ['a month of a year', 'It works out at €2.50 a month.', 'It costs 30 euros a year.'],
    ['a price for each of six', 'It is $35 a session.', 'Six Saturdays cost $210.'],
    ['the same again', 'Inside and out for £36.', 'Outside £18. Inside, the same price again.'],
    ['sums with sums', 'The yarn is £42, so think of £87.', 'The course is £45. Yarn: three skeins, £14 each.'],
    ['an amount without its currency', 'Yearly it is €120.', 'It costs 12 euros a month or 120 a year.'],
    ['how long it takes', 'Two hours each time.', 'Saturdays, 10 a.m. to noon.'],
    ['how long all of it takes', 'Twelve hours of clay.', 'Six Saturdays, 10 a.m. to noon.'],
    ['hours of one half of the day', 'Ten hours of knitting.', 'Five Sundays, 2 to 4 pm.'],
    ['weeks of Saturdays', 'Six weeks of clay.', 'We meet on six Saturdays.'],
    ['hours a month of minutes a week', 'That is roughly two hours a month.', 'Set aside 30 minutes every Friday.'],
    ['so many of so many', 'That is about two in three.', 'Of our 62 clients, 41 said so. 66 %.'],
    ['times as much', 'It has 25 times as much.', 'Free has 2 GB; Plus has 50 GB.'],
    ['half of a unit', 'It grows half a metre tall.', 'It grows 50 cm tall.'],
    ['half an hour in two words', 'Keep a standing half hour.', 'Keep 30 minutes.'],
    ['four times a year', 'We call you four times a year.', 'We call you quarterly.'],
    ['sides of a box', 'It is 10 cm high.', 'Its size is 10 x 35 x 60 cm.'],
    [
      'so many of a share',
      'For each of the two nights 20 % off, so €51.20.',
      'A night costs 128 euros.\n\nYou get 20 % off.',
    ],
    ['an amount without a currency', 'Three nights at 128 euros make 384.', 'Three nights at 128 euros.'],
    [
      'a difference without a currency',
      'An L for 8.90 instead of an M for 5.80, so 3.10 more.',
      'M 5.80 euros, L 8.90 euros.',
    ],
    ['cents of an amount', 'It is 20 cents a minute.', 'The fee is 0.20 euros a minute.'],
    ['kilometres of all runs', '350 runs of 5 km each. That is 1,750 km.', 'A 5 km run. Next is run 350.'],
    ['years since', 'We met seven years ago.', 'Since April 2019. Next run: 17 June 2026.'],
    ['what a question supposes', 'Nap time at noon?', 'It keeps light out.'],
    ['things that the text lists itself', 'There are two parts to this.', 'Owners can export 5,000 rows.'],
    ['months of a season', 'We sail five months a year.', 'Season: 1 May to 30 September.'],
  ]
  for (const row of rows) it(row[0], () => assert.deepEqual(groupsOf(row), []))
})

describe('figures that do not', () => {
  const rows: readonly Row[] = [
    ['another share of an amount', 'For the cake you get £22.40 back.', `${shop}\n\n${choice}`],
    ['another sum', 'Both dogs together: $95.', 'The first dog costs $52, each further dog $38.'],
    [
      'a sum that the text does not take',
      'A transfer costs 35 euros.',
      'A transfer costs 25 euros, a new pass 10 euros.',
    ],
    ['a product of nothing beside it', 'The bags come to £49.', 'A bag costs £9.80.'],
    [
      'a span twice as long',
      'Report it within 48 hours.',
      'Report it within 24 hours. Contract since 15 January 2026.',
    ],
    ['a difference of counts', 'We meet on six Sundays.', 'Five Sundays. 11 of 12 finished.'],
    ['a time that is offered in a question', 'Would 10.15 am suit you?', 'Tuesday 15.40 or Monday 8.30.'],
    ['two where three were given', 'Two play groups a day.', 'Three play groups a day.'],
    ['other hours', 'Saturday between 2 and 4.', 'Saturday between 9 and 11. Two heaters.'],
  ]
  for (const row of rows) it(row[0], () => assert.ok(groupsOf(row).includes('figure'), JSON.stringify(groupsOf(row))))
})

describe('days and times that follow from given ones', () => {
  const rows: readonly Row[] = [
    ['a deadline', 'You have until June 18.', 'Return it within 45 days.', 'I got them on May 4.'],
    ['the last of six Saturdays', 'It ends on October 17.', 'Six Saturdays, from September 12, 2026.'],
    ['the day of the week of a deadline', 'Send it by Monday.', `${shop} Send the photo within 48 hours.`],
    ['a day before', 'Tell us by 27 August.', 'Tell us seven days before 3 September.'],
    ['days on which nothing is open', 'We are closed on Sundays and Mondays.', 'Open Tuesday to Saturday.'],
    ['the next day', 'It is in the post on Tuesday.', 'We roast on Mondays and post the next day.'],
    ['what a customer wrote in small letters', 'Is it there by Friday? Friday it is, then.', 'It stays.', 'on friday'],
    ['a time of day with a full stop', 'Come at 3.40 pm.', 'Tuesday 10 March, 15.40.'],
    ['a time of day in words', 'Come at half past eight.', 'Monday 23 March 8.30.'],
    ['a working day later', 'Expect a call on 3 June.', 'It is due 2 June; fitting takes one working day.'],
    [
      'three working days over a weekend',
      'Expect it on Wednesday, 11 March.',
      'Sent on Friday 6 March 2026; it takes three working days.',
    ],
    ['ten working days', 'You have it by 20 March.', 'Sent on Friday 6 March 2026. Within 10 working days.'],
    ['working days before', 'Tell us by 27 February.', 'Tell us five working days before Friday 6 March 2026.'],
    ['working days from a date of no year', 'Expect it on 12 March.', 'Sent 6 March; it takes four working days.'],
    ['working days from a day', 'It is there on Tuesday.', 'It takes two working days.', 'I sent it on Friday.'],
    ['a time in a range with full stops', 'We are here until half past five.', 'Open 9.30 to 5.30.'],
    ['a month of a season', 'It is a calm morning in June.', 'Season: 1 May to 30 September.'],
    ['nothing: it is a question', 'Rain on Sunday, us on Monday?', 'We clean windows.'],
  ]
  for (const row of rows) it(row[0], () => assert.deepEqual(groupsOf(row), []))
  it('but a date that is offered in a question is one', () =>
    assert.deepEqual(groupsOf(['', 'Would Friday 27 March suit?', 'Next: Thursday 19 March.']), ['date']))
  it('and a day within opening hours is no promise', () =>
    assert.deepEqual(groupsOf(['', 'It will reach you on Thursday.', 'Our desk answers Monday to Friday.']), ['date']))
})

describe('what is no claim', () => {
  const rows: readonly Row[] = [
    ['a gift that is denied', 'A full refund isn’t something that we offer.', 'Repairs only.'],
    ['what the customer feels', 'I understand that you feel the whole price should come back.', choice],
    ['what the writer leaves to others', 'I can’t comment on the legal side.', 'The fee is £25.'],
    ['a wish', 'I hope that it heals well.', 'The fee is £25.'],
    ['a partial refund in other words', 'You get a refund of 30 per cent.', choice],
    ['a replacement in other words', 'A replacement of the same cake is ready.', choice],
    ['a condition that is met', 'A kilo is £34, and postage is on us.', 'A kilo is £34. Free postage over £25.'],
    ['an offer that was given', 'We take 15% off the labor.', 'The labor is reduced by 15 %.'],
    ['advice to act at once', 'Take the picture right away.', 'Take a picture.'],
    ['an idiom with a superlative', 'An exchange is your best bet.', 'You may exchange it.'],
    ['a heading', '## How it works\n\nIt works.', 'It works.'],
    ['code', 'Call `img_4823("2026-05-03")`.', 'Call it.'],
    ['tags of given words', 'Try it. #SingleOrigin', 'A single-origin coffee.'],
    ['entries of a list', '1. Open it.\n2. Close it.', 'Open it, then close it.'],
    ['words in scare quotes', 'Do it now and not "sometime this week".', 'Do it now.'],
    ['what a sheet says', 'The sheet says vanilla.', 'The sheet shows vanilla.'],
    ['what a reader pictures', 'If you’ve ever scrolled through four hundred files, try it.', 'Try it.'],
  ]
  for (const row of rows) it(row[0], () => assert.deepEqual(groupsOf(row), []))
})

describe('what was not given', () => {
  const rows: readonly (readonly [string, string, string, string])[] = [
    [
      'money',
      'what is free on a condition',
      'Five packs cost 32 euros and ship free.',
      'Five packs cost 32 euros; shipping is free from 40 euros.',
    ],
    [
      'money',
      'what is not charged',
      'We won’t charge you for the bracket.',
      'Loaner bikes are free. The bracket is late.',
    ],
    ['money', 'a fee that is taken off', 'The £25 will be taken off your account.', 'A fee of £25 applies.'],
    ['act', 'a fee that was taken off', 'We have taken it off again.', 'It is the idle fee.'],
    ['money', 'something else that is free', 'Your next eye test is on us.', 'The deposit is returned in full.'],
    ['money', 'two for one', 'Tacos are two for one.', 'Three tacos cost $12.'],
    ['act', 'what was done for the reader', 'I’ve put a pair aside for you.', 'Exchanges are free.'],
    ['act', 'what may be done', 'I’ve frozen your membership.', 'A membership can be frozen.'],
    ['claim', 'what was done by nobody', 'The rest has been finished.', 'One part is missing.'],
    ['claim', 'what will be done', 'Our caretaker will bring the heaters to you.', 'Heaters can be picked up.'],
    ['claim', 'an item of a list', 'It comes with a review call and payroll.', 'It has a review call.'],
    ['claim', 'an option', 'Run it with `--undo`.', 'Run it with `--dry-run`.'],
    ['claim', 'the only one', 'Boise’s only kennel with staff.', 'A kennel in Boise with staff.'],
    ['claim', 'a permission', 'A short walk is fine as long as they are clean.', 'Shoes must be unworn.'],
    ['claim', 'a reason', 'It is closed because our supplier changed the packaging.', 'It is closed.'],
    ['claim', 'what the company does', 'We grow our own chillies behind the kitchen.', 'A taqueria.'],
    ['health', 'what does a part of the body good', 'The sauna helps a torn ligament mend.', 'The sauna is open.'],
    ['health', 'what is not caught', 'Your dog can’t catch it here.', 'Dogs need proof of vaccination.'],
    ['law', 'what somebody must do', 'A landlord has 28 days to repair it.', 'The repair takes 28 days.'],
    ['law', 'rules by name of nobody', 'Fees are permitted under council rules.', 'A fee applies.'],
  ]
  for (const [group, says, text, given] of rows)
    it(`${group}: ${says}`, () => assert.ok(groupsOf([says, text, given]).includes(group as never)))
})
