/** Claims about money, law and health in classes of words, each beside an honest sentence that looks alike. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isGrave, unfounded } from './unfounded.ts'

const shop =
  'The lamp cost £84. Returns are accepted within 30 days; the postage of £6 is paid by the customer. Refunds are made to the card. She has not been refunded. Lamps have a guarantee of two years. Shades have none. A late fee of £5 is charged after 14 days.'
const terms =
  'The contract ends on 31 August. Bills can be disputed within 12 months. Payments already made are not refunded, except within 14 days of the first payment. No late fee is charged.'
const clinic =
  'Dosage: one capsule in the evening. Ask your doctor before you take it with other medicines. It is not for children.'

const isFound = (text: string, given: string, about = '') =>
  unfounded({ text, from: [given], about: [about] }).some(isGrave)

describe('without anything that backs it, is found', () => {
  for (const [says, text, given] of [
    ['money that has moved', 'The £84 went back onto your card this morning.', shop],
    ['money on its way', 'Your £84 is on its way back to you.', shop],
    ['that it is to be considered as done', 'Consider the £84 refunded.', shop],
    ['a thing that has left the house', 'A new lamp left our warehouse today.', shop],
    ['what others have done', "I've had the old bills reissued with it.", terms],
    ['what others were told to do', 'I asked our billing team to halve your bill.', terms],
    ['what is done already', 'A driver is already booked for the lamp.', shop],
    ['a debt that is forgiven', 'If we were wrong, your bill is written off.', terms],
    ['a charge that is undone', 'Charges made after the end are always reversed.', terms],
    ['that nothing is owed', 'You no longer owe us anything.', terms],
    ['that nothing need be paid', "You won't have to pay the late fee.", shop],
    ['a payment by us of what the customer pays', "We'll cover the postage this time.", shop],
    ['a cost that is taken over', "We'll settle the £6 for the postage too.", shop],
    ['that nothing can happen', "It's made of plants, so it can't do any harm.", clinic],
    ['that there is no risk', 'You can take it in the evening without any risk.', clinic],
    ['that any amount is safe', "It's safe in any amount.", clinic],
    ['what is kept away', 'One capsule keeps colds and flu away.', clinic],
    ['money that was booked back', 'The £84 was booked back last night.', shop],
    ['that nobody will ask for money', 'You will never be asked to pay for the shade.', 'The shade has a crack.'],
    ['that nothing need be paid at all', 'There is nothing more to pay.', shop],
    ['that a loss is made good', 'Any damage will be made good.', shop],
    ['a cost that is said to be ours', 'The postage is at our expense.', shop],
    ['who pays, by a word that begins like “you”', 'The crack is covered by your insurer.', 'The lamp has a crack.'],
    ['a thing that went out', 'A new lamp went out to you.', shop],
    ['an act of others than the writer', 'The technician has repaired your lamp.', shop],
    ['an act of somebody who was sent', 'The plumber fixed the leak this morning.', 'Plumber booked for Thursday.'],
    ['that there is no need to pay', 'There is no need to pay the invoice.', 'Invoice of £90 due on 1 July.'],
    ['that nobody asks for money', 'Nobody will charge you for the delay.', 'Late return: £5 a day.'],
    ['that it is fine for a mother', 'The lotion is fine while breastfeeding.', 'Ask a midwife before use.'],
    ['that it is safe in a pregnancy', 'The cream is safe during pregnancy.', 'Ask a doctor if pregnant.'],
    ['that an allergen is not in it', 'The capsule does not contain any gluten.', clinic],
    ['that it is free from an allergen', 'Our capsules are nut-free.', clinic],
    ['a medicine', 'Paracetamol helps until then.', clinic],
    ['that something is not serious', 'A reaction is nothing serious.', clinic],
    ['that it may be eaten', 'They are fine to swallow for anyone.', 'Beads of glass.'],
    ['that it settles a part of the body', 'It settles the stomach.', clinic],
    ['that no doctor need be asked', "There's no need to ask your doctor.", clinic],
  ] as const)
    it(`${says}: ${text}`, () => assert.ok(isFound(text, given)))
})

describe('an honest sentence is not:', () => {
  for (const [text, given, about = ''] of [
    ['Once the lamp is back, the £84 goes back onto your card.', shop],
    ["We haven't refunded the £84 yet.", shop],
    ['The postage of £6 is paid by you.', shop],
    ["I can't waive the late fee.", shop],
    ["We can't write off the bill, I'm afraid.", terms],
    ['There is no late fee.', terms],
    ['Payments can be refunded within 14 days of the first payment.', terms],
    ['I understand why you are asking for your money back.', shop, 'I want my money back!'],
    ['One capsule is the dose.', clinic],
    ['The £84 is on its way back to you.', 'The £84 is being returned to the customer.'],
    ["You don't need to pay the bill of May.", 'We have decided to waive the fee once. The bill of May was sent.'],
  ] as const)
    it(text, () => {
      assert.deepEqual(unfounded({ text, from: [given], about: [about] }).filter(isGrave), [])
    })
})

describe('an honest sentence in other words than its brief is not:', () => {
  for (const [text, given] of [
    [
      'The refund will be on your card in 5 to 7 working days.',
      'Refunds take 5 to 7 working days and go to the original card.',
    ],
    ['Your deposit will be in your account by 14 June.', 'The deposit is paid out on 14 June.'],
    ['The refund should be with your bank on Friday.', 'The refund of £20 is made on Friday.'],
    ['Your £20 left us on 3 May.', 'Refund of £20 issued on 3 May.'],
    ['We have returned the £20 to your card.', 'The £20 was sent back to the card.'],
    ['We have ended your contract.', 'Contract cancelled on 3 May.'],
    ['We have swapped your lamp.', 'The lamp was replaced on 3 May.'],
    ['We have dropped the late fee.', 'From May the late fee no longer applies.'],
    ['We have taken £5 off your bill.', 'The bill was reduced by £5.'],
    ['We have frozen your card.', 'Card blocked on 3 May.'],
    ['We sent your claim on to the insurer.', 'The claim was passed to the insurer.'],
    ['Free of charge.', 'The repair comes at no cost.'],
    ['We have put a fresh battery in your watch.', 'Watch: battery changed on 3 June.'],
    ['I have moved your appointment to Thursday.', 'Appointment: changed from Tuesday to Thursday.'],
    ['If you return it unopened, there is no restocking fee.', 'Restocking fee of 15% for opened goods only.'],
    ['There is no need to pay again.', 'The bill is paid.'],
    ['You are not charged until the trial ends.', 'Trial of 14 days. The card is charged after it.'],
    ['The courier confirmed the delivery at noon.', 'Delivered at noon, says the courier.'],
    ['The electrician arranged a new visit with you.', 'Electrician comes again on Monday.'],
    ['Our team reset your router.', 'Router restarted remotely by support.'],
    ['The reception is closed on Sundays.', 'Reception: Monday to Saturday.'],
    ['The return postage is on us.', 'We pay the postage of returns.'],
    ['We paid the deposit back on 3 May.', 'The deposit was transferred back on 3 May.'],
    ['To make up for the noise, you get £5 off.', 'Noise: the guest gets £5 off.'],
    ["We won't charge you in June.", 'Nothing charged in June.'],
    ['The cake is not safe for anyone with a nut allergy.', 'The cake contains walnuts.'],
    ['The sorbet is dairy-free.', 'Mango sorbet with no milk.'],
    ['The lesson fell through, and we will repeat it for free.', 'A new lesson without paying for it.'],
    ['The cake is made without nuts.', 'The cake is nut-free.'],
    ['Lost parcels: we will send another one.', 'Lost parcels are replaced.'],
    ['Your refund of £20 is on its way.', 'Refund of £20 issued on 3 May.'],
    ['A replacement part can go in the post, on 12 June.', 'A replacement part can be sent on 12 June.'],
    [
      'As the item is faulty, we will cover the return postage.',
      'The buyer pays the return postage unless the item is faulty.',
    ],
    ["You don't owe us anything until 1 July.", 'No payment is due before 1 July.'],
    ['You owe us nothing more for May.', 'The bill for May is paid in full.'],
    ['Your bill for May has been halved.', 'On 3 May we reduced the bill for May by half.'],
    ['The delivery fee is dropped from £50.', 'Delivery is free from £50.'],
    ['You can claim a refund within 30 days.', 'Returns are accepted within 30 days. Refunds go to the card.'],
    [
      'You can terminate the contract with one month of notice.',
      'The contract can be cancelled with one month of notice.',
    ],
    ['The code SPRING is invalid after 31 May.', 'The code SPRING can be used until 31 May.'],
    ['The token is invalid after one hour.', 'A token can be used for one hour.'],
    ['The claims expire after an hour.', 'A JWT holds claims, such as sub and exp. It is accepted for an hour.'],
    ['We are not allowed to ship batteries by air.', 'Batteries must not be shipped by air.'],
    ['The customer has agreed.', 'The customer agreed to the repair on 3 May.'],
    ['You have lost no rights by waiting.', 'A buyer keeps all rights.'],
    [
      'You can pause your subscription at any time.',
      'Coffee capsules by subscription, £12 a month. It may be paused whenever you like.',
    ],
    [
      'The case goes well with any of our tablets.',
      'The case fits all tablets that we sell. Our tablets have screens of 8 to 11 inches.',
    ],
    [
      'Skip the queue: book online.',
      "Patients who book online don't wait in the queue. The doctors are in from 8 to 12.",
    ],
    ['Stop the server before you update.', 'The server of the dose register is stopped, then updated.'],
    [
      'If a rash appears, stop taking the tablets and see your doctor.',
      'Stop taking the tablets and see a doctor if you get a rash.',
    ],
    ['The two can be taken together.', 'The tablets and the syrup may be taken at the same time.'],
    ['You do not need to tell the vet.', 'No vet visit is required after the dose.'],
  ] as const)
    it(`${text} (${given})`, () => assert.ok(!isFound(text, given)))
})
