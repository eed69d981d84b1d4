/** Acts that a text says were done, or will be, and that nobody gave. */
import type { Material, Paragraph } from './material.ts'
import { flat, formsOf, placesOf, wordsIn } from './words.ts'

/** Acts that somebody says were done, or will be, and that were not given as such: “to be sent” is not “sent”. */
export function actsIn(sentence: string, { paragraphs }: Material): string[] {
  const text = flat(sentence)
  const isDone = (act: string) => isInSome(paragraphs, isDoneIn, act)
  const isTold = (act: string) => isInSome(paragraphs, isToldIn, act) || isInSome(paragraphs, isAlikeIn, act)
  const done = [...text.matchAll(past), ...text.matchAll(repaired)].filter(
    ([shown, act = '']) => !isQuality.test(shown) && !isDone(act),
  )
  const coming = [...text.matchAll(planned)].filter(
    ([, act = '']) =>
      !paragraphs.some(one => (same.get(act) ?? [act]).some(word => formsOf(word).some(form => one.stems.has(form)))),
  )
  const others = [
    ...[...text.matchAll(own)].filter(([, act = '']) => !isTold(act)),
    ...[...text.matchAll(caused)].filter(
      ([, had, whom = '', asked = '']) =>
        !isTold(had ?? asked) && !paragraphs.some(one => hasAny(one.stems, whom) && hasToldIn(one.text)),
    ),
    ...[...text.matchAll(settled)].filter(([, act = '']) => !isDone(act)),
    ...(upon.test(text) || isInSome(paragraphs, isMovedIn) ? [] : text.matchAll(moved)),
    ...(upon.test(text) || isInSome(paragraphs, isSentIn) ? [] : text.matchAll(left)),
  ]
  const seen = done.map(([shown]) => shown.trim())
  const more = others.filter(([shown]) => !seen.some(one => shown.startsWith(one)))
  return [...done, ...coming, ...more].map(([shown]) => shown.trim())
}

/** Each rule reads a brief once for each act, however often a text claims it. */
function isInSome(
  paragraphs: readonly Paragraph[],
  rule: (paragraph: Paragraph, act: string) => boolean,
  act = '',
): boolean {
  const ofBrief = readBy.get(paragraphs) ?? new Map<unknown, Map<string, boolean>>()
  readBy.set(paragraphs, ofBrief)
  const ofRule = ofBrief.get(rule) ?? new Map<string, boolean>()
  ofBrief.set(rule, ofRule)
  const known = ofRule.get(act) ?? paragraphs.some(one => rule(one, act))
  ofRule.set(act, known)
  return known
}

const readBy = new WeakMap<readonly Paragraph[], Map<unknown, Map<string, boolean>>>()

/** What somebody will do for the reader, where nobody said so. */
export const promisesIn = (sentence: string, { stems }: Material): string[] =>
  [...flat(sentence).matchAll(promised)]
    .filter(([, act = '']) => !(same.get(act) ?? [act]).some(word => formsOf(word).some(form => stems.has(form))))
    .map(([shown]) => shown)

const promised =
  /(?<!\p{L}|\b(?:if|what|how|when|where|whether|until) )(?:we|i|our \p{L}+|your (?:guide|driver|teacher|technician|engineer|host)|a colleague|somebody|someone|the team)(?:'ll| will| shall)(?: (?:also|then|gladly|happily|even|personally|always))? (?!be|have|let|see|look|do|get|need|help|sort|try|love|hear|want|know|find|tell|explain|show|take|forward|pass|check|come|go|write|answer|reply|respond|make|give|not|never|just|only|wait|keep you|all|still|walk|miss|meet|work|start|both|remember|bet|put you|guide|talk|ask|update)(\p{L}{3,})(?!\p{L})[^.;:!?]{0,60}?(?:you|your|yours|back)(?!\p{L})/gu

/** What is said to have been done, without who did it: “the rest has been finished”. */
export const passivesIn = (sentence: string, { paragraphs }: Material): string[] =>
  [...flat(sentence).matchAll(passive)]
    .filter(([, act = '']) => !paragraphs.some(one => formsOf(act).some(form => one.stems.has(form))))
    .map(([shown]) => shown)

const passive =
  /(?<!\p{L}|\b(?:if|once|when|unless|until|after|should|that|which|who|may|might|would|could|not) (?:\p{L}+ ){0,6})(?:has|have) (?:already |now |just |also |all |both |since )*been (?!made|done|told|asked|said|given(?! an? )|able|there|open|sent|through|known|meaning|great|lovely|waiting|going|trying)(\p{L}{3,}(?:ed|en|wn|t))(?!\p{L})/gu

/** Who does things for the writer. */
const staff = 'team|staff|manager|driver|courier|technician|plumber|electrician|engineers?'

const business =
  'refunded cancelled canceled replaced shipped sent dispatched credited paid approved unlocked upgraded extended reserved booked waived escalated reset issued transferred reimbursed compensated blocked closed deleted activated confirmed fixed resolved repaired arranged contacted informed notified reported accepted granted processed registered scheduled instructed ordered taken removed dropped deducted returned'
const past = new RegExp(
  String.raw`(?<!\p{L})(?:we|i|our \p{L}+|your (?:\p{L}+ ){1,3}|(?:the )?(?:refund|payment|transfer|replacement|parcel|order|account|claim|ticket|money|amount)) ?(?:have |has |had |was |were |'ve |is )?(?:(?:already|just|now|also|been|today|since|therefore) ){0,3}(${business.split(' ').join('|')})(?!\p{L})`,
  'giu',
)
const planned =
  /(?<!\p{L})(?:we|i|our \p{L}+|somebody|someone|a colleague)(?:'ll| will| shall| are going to| am going to) (?:\p{L}+ly |also |then |now )?(call|phone|ring|visit|collect|extend|cancel|credit|upgrade|install|repair|match|add|unlock|reset|ship|send|deliver|replace|refund|cover|pay)(?!\p{L})/giu

/** “The plumber fixed the leak”. Of what people confirm, close or book, briefs tell in too many other words. */
const repaired = new RegExp(
  String.raw`(?<!\p{L})(?:the )?(?:${staff}) (?:(?:already|just|now|also|then) ){0,2}(fixed|repaired|mended|restored|replaced|refunded|reimbursed|waived)(?!\p{L})`,
  'giu',
)

/** “I've put a pair aside”: what somebody did for the reader, beyond seeing, hearing and knowing. */
const own = new RegExp(
  String.raw`(?<!\p{L})(?:we|i|a colleague|our \p{L}+|(?:the )?(?:${staff}|housekeeping|reception|support))(?:'ve| have| has) (?:(?:already|just|now|also|since|gone ahead and|therefore) ){0,2}(?!(?:been|passed|forwarded|had|seen|read|heard|got|received|noted|checked|looked|found|understood|learned|learnt|noticed|known|felt|thought|come|gone|gotten|made|tried|all|ever|never|no|not|an?|the|two|three|some|many|more|your|our|plenty|everything|nothing|to|listed|explained|written|answered|attached|included|enjoyed|loved|missed|met|kept|started|worked|done|always|long|only)(?!\p{L}))(\p{L}{2,}(?:ed|en|t|d|ne|wn|un))(?!\p{L})[^.;:!?]{0,60}?(?:you|your|yours)(?!\p{L})`,
  'giu',
)

/** “I've had the invoices reissued”, “I asked our team to halve it”: what others did for the writer. */
const caused =
  /(?<!\p{L})(?:we|i)(?:'ve| have)? (?:(?:already|just|now|also) )?(?:(?:had|got) (?:the|your|it|them|that|this|all|every)(?: (?!(?:you|we|i|it|they|he|she|that|which|who|and|but)(?!\p{L}))\p{L}+){0,3}? (?!(?:noted|listed|needed|expected|hoped|planned|wanted|dated|called|named|marked|limited)(?!\p{L}))(\p{L}{3,}ed)(?=$|[.,;:!?]| (?:for|to|by|with|at|on|in|and|but|so|from|as|off|out|again|today|yesterday|already|this|last)(?!\p{L}))|(?:asked|told|instructed) (?:our|the|my) ((?:\p{L}+ ){1,3})to (?!look|check|call|contact|find|see|write|reply|answer|get|help|keep|be|have|take a|let)(\p{L}{3,}))(?!\p{L})/giu

const hasToldIn = (text: string): boolean =>
  /(?<!\bnot |n't )\b(?:asked|told|instructed|ordered|requested|informed)\b/.test(text)
const hasAny = (stems: ReadonlySet<string>, words: string): boolean =>
  wordsIn(words).some(word => formsOf(word).some(form => stems.has(form)))

/** “A driver is already booked”, “consider it refunded”. */
const settled = new RegExp(
  String.raw`(?<!\p{L})(?:(?:is|are|was|were|has been|have been) (?:already|now|just) |consider (?:it|that|this|the matter|(?:(?:your|the) )?(?:\p{L}+|[£$€] ?\d[\d.,]*)) (?:as )?)(?!taken)(${business.split(' ').join('|')})(?!\p{L})`,
  'giu',
)

/** “Your €29 is on its way back”, “the £189 went back onto your card”: money that is said to have moved. */
const moved =
  /(?:[£$€] ?\d[\d.,]*|(?<![\d.,])\d+ (?:euros?|pounds?|dollars?)|(?<!\p{L})(?:money|refund|payment|amount|sum|funds|deposit|balance))(?: \p{L}+){0,2}? (?:(?:went|gone|came) (?:straight |right )?(?:(?:back|out)(?! to us)|to your|into your|onto your)|(?:is|are) (?:already |now )?(?:on (?:its|the|their) way|back (?:(?:on|in|with) (?:your|the)|with you)|with your bank|in your account|in the post)|left (?:us|our)|reached your|(?:was|were|has been|have been) (?:already |now |just )?(?:booked|put|given|wired) back|(?:should|will|'ll) (?:already|now|by now) be (?:back )?(?:on|in|with) your)(?!\p{L})/giu
/** “Once it has reached us, the money is back on your card.” */
const upon = /(?<!\p{L})(?:once|when|if|after|as soon as|within|until|unless)(?!\p{L})/u
const isMovedIn = ({ text }: Paragraph): boolean =>
  /(?<!\b(?:be|is|are|not|never|n't|yet)\b[^.;:!?]{0,12})\b(?:refunded|repaid|reimbursed|credited|transferred|returned to|(?:paid|sent|booked|put|given|wired|went|gone) (?:back|out)|(?:sent|paid|wired) (?:\p{L}+ ){0,2}[£$€] ?\d|left us|debited|released|unblocked|executed|arrived|(?:refund|transfer|payout)s?(?: of \S{1,20})? (?:was |were |has been |have been )?(?:issued|made|sent|paid|released|started|processed|approved)|on its way)\b|\bbeing (?:returned|refunded|repaid|credited|transferred|sent|paid)\b/u.test(
    text,
  )

/** “It left our warehouse today.” */
const left =
  /(?<!\p{L}|\b(?:can|could|may|might|will|would|should|to|not|never|n't|'ll) (?:be |have )?)(?:left (?:our|the) (?:warehouse|depot|shop|workshop|store|hands)|handed (?:it |them )?(?:over )?to the (?:courier|carrier|driver|post)|(?<!\b(?:power|lights?|electricity|fire|heating|he|she|they|we|i|you|who) )went out (?:to you|today|yesterday|last night|this (?:morning|afternoon))|(?:(?:is|are|was|were|went)|'s|put (?:\p{L}+ ){0,2}\p{L}+) (?:already |now )?in the (?:post|mail)(?= (?:to you|since|already|now)|[.!,]|$))(?!\p{L})/giu
const isSentIn = ({ text }: Paragraph): boolean =>
  /(?<!\b(?:be|is|are|not|never|n't|yet)\b[^.;:!?]{0,12})\b(?:sent|shipped|dispatched|posted|left|handed|given to the|mailed|collected|picked up|went out|gone out|on its way|in the post|delivered)\b/.test(
    text,
  )

/** “Your reserved books” tells of no act. */
const isQuality = /^your (?!.*\b(?:have|has|had|was|were|is)\b)/

/** “Can be frozen”, “return the item” tell of nothing that was done. */
const isToldIn = ({ text, stems }: Paragraph, act: string): boolean =>
  formsOf(act).some(form => stems.has(form)) &&
  wordsIn(text).some(word => formsOf(word)[0] === formsOf(act)[0]) &&
  placesOf(text, act.slice(0, 4)).some(
    index =>
      index > 0 &&
      !/(?:\b(?:can|may|will|must|to|should|could|be)\b[^.;:!?]{0,12}|[.;:!?] )$/.test(
        text.slice(Math.max(0, index - 20), index),
      ),
  )

/** “To be sent” is not yet sent, and neither is what “has not been sent”. */
const isDoneIn = (paragraph: Paragraph, act: string): boolean =>
  doneAs(act).test(paragraph.text) || isAlikeIn(paragraph, act)

const isAlikeIn = ({ text }: Paragraph, act: string): boolean =>
  alike.some(({ acts, told }) => acts.has(act) && told.test(text))

const doneAs = (words: string): RegExp =>
  new RegExp(String.raw`(?<!(?:\bbe|(?:\bnot|\bnever|n't)(?: yet| been){0,2}) )\b(?:${words})\b`)

/** Each of the acts is given where a brief has one of the words that tell of it: by default the acts themselves. */
const alike = (
  [
    [
      'refunded reimbursed repaid returned credited transferred paid',
      String.raw`refunded|reimbursed|repaid|credited|(?:paid|sent|transferred|wired|put|given|went|gone|money) back|back (?:was |were |has been )?(?:paid|sent|transferred)|(?:refund|transfer)(?: of \S{1,20})? (?:was |has been )?(?:issued|made|sent|paid)`,
    ],
    ['cancelled canceled closed ended stopped terminated'],
    [
      'shipped sent dispatched posted mailed handed',
      'shipped|sent|dispatched|posted|mailed|handed|left (?:our|the)|went out|gone out',
    ],
    ['sent passed forwarded'],
    ['reserved booked arranged scheduled set put', 'reserved|booked|arranged|scheduled|set aside|put aside|kept'],
    ['fixed resolved repaired mended solved restored', 'fixed|resolved|repaired|mended|solved|restored|works again'],
    ['contacted informed notified told', 'contacted|informed|notified|told|called|emailed|wrote to|spoke (?:to|with)'],
    ['replaced exchanged swapped renewed changed fitted installed put'],
    ['deleted removed erased wiped'],
    ['reset restarted rebooted'],
    ['closed resolved solved'],
    ['blocked frozen suspended locked'],
    [
      'waived dropped scrapped lifted removed',
      'waived?|dropped|scrapped|lifted|removed|written off|no longer (?:costs?|charged?|applies|apply)',
    ],
    [
      'reduced lowered cut deducted taken knocked took',
      String.raw`reduced|lowered|cut|deducted|(?:takes?|taken|took|knocked) (?:\S+ ){1,4}off|off the (?:bill|price)`,
    ],
    ['approved accepted granted agreed'],
    ['moved transferred switched upgraded'],
    ['moved changed shifted rescheduled postponed rearranged rebooked'],
  ] as const
).map(([acts, told = acts.replaceAll(' ', '|')]) => ({ acts: new Set(acts.split(' ')), told: doneAs(told) }))

const sending = ['send', 'ship', 'deliver', 'goes', 'dispatch', 'post', 'arrive', 'text', 'mail', 'email', 'replace']
const same: ReadonlyMap<string, readonly string[]> = new Map([
  ['send', sending],
  ['ship', sending],
  ['deliver', sending],
  ['pay', ['pay', 'free', 'cover', 'refund', 'reimburse', 'compensation']],
  ['cover', ['pay', 'free', 'cover']],
  ['call', ['call', 'phone', 'ring']],
  ['phone', ['call', 'phone', 'ring']],
])
