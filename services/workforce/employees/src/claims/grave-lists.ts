/** Turns of phrase about money, law and health, by classes of verbs: relief of what is owed, powers of others, cures, all clear. */
import type { WordClaims } from './word-lists.ts'

const of = (words: string): RegExp => new RegExp(String.raw`(?<![\p{L}\p{N}_'-])(?:${words})(?![\p{L}\p{N}])`, 'giu')

const AMOUNT = String.raw`(?:[£$€] ?\d[\d.,]*|\d+ (?:euros?|pounds?|dollars?))`
const OWED = `(?:${AMOUNT}|(?:fee|charge|debit|debt|bill|invoice|payment|amount|cost|surcharge|penalt(?:y|ie)|arrear)s?|balance|interest|rent|postage)`
const RELIEVED =
  '(?:written off|reversed|undone|forgiven|scrapped|dropped|lifted|halved|wiped(?: out)?|struck off|let off|annulled|revoked)'
const RELIEVE =
  '(?:writ(?:e|ing)|wrote|written) off|revers(?:e|ed|ing)|undo|forgiv(?:e|ing)|forgave|scrap(?:ped|ping)?|drop(?:ped|ping)?|lift(?:ed|ing)?|halv(?:e|ed|ing)|wip(?:e|ed|ing) (?:out|off)|str(?:ike|uck) off|annul(?:led)?|revok(?:e|ed)'
const SETTLED = String.raw`no (?:\w+ )?payment|no \w+ (?:is |are )?due|nothing (?:is |more is )?(?:due|owed)|not (?:yet )?due|(?:is|are|was|were|been) (?:\w+ )?paid(?! by)|paid (?:in full|off|up)|settled`

const PARTY =
  '(?:employer|seller|retailer|trader|provider|supplier|airline|carrier|landlord|tenant|consumer|buyer|lender|insurer|bank|dealer|manufacturer|hotel|agent|compan(?:y|ie)|customer|debtor|creditor)s?'

/** Those of whom laws tell what they may do. */
const OFFICIAL = '(?:employer|seller|retailer|trader|provider|supplier|airline|carrier|landlord|lender|insurer|bank)'

const AILMENT =
  '(?:sunburns?|wrinkles?|flu|fevers?|coughs?|cramps?|hangovers?|jet ?lag|redness|swellings?|eczema|acne|asthma|arthritis|dementia|diabetes|strokes?|tumou?rs?|cancer|colds|sore throats?|bruises|scars)'
const ADVISER = '(?:doctor|pharmacist|gp|physician|dentist|vet|midwife)'
const MEDICINE = '(?:medicines?|medications?|tablets?|capsules?|pills?|dos(?:e|es|age)|treatments?|inhalers?|insulin)'

/** What somebody may do to somebody else, with what says the same. */
const powers: readonly (readonly [string, string])[] = [
  [
    'claim(?! (?:the |your |a |an |this )?(?:discount|reward|offer|gift|prize|points|bonus|free|seat|ticket))',
    String.raw`claim\w*|refund\w*|reimburs\w*|compens\w*|entitle\w*|request\w*|appl(?:y|ies|ied)|expens\w*|guarant\w*|warrant\w*|insur\w*`,
  ],
  ['sue', String.raw`su(?:e|es|ed|ing)|courts?|lawsuits?`],
  ['demand', String.raw`demand\w*|ask\w*|request\w*|require\w*|entitle\w*|rights?|choose|choice`],
  [
    String.raw`withhold|deduct|keep (?:the|your|their|all|half|part) (?:\w+ )?(?:deposit|money|payment|fee|amount)`,
    String.raw`withh\w*|deduct\w*|ke(?:ep|pt)\w*|retain\w*|h(?:el|ol)d\w*|forfeit\w*|subtract\w*|not (?:refunded|returned|paid back)|non-?refundable|no refund`,
  ],
  ['evict|seize', String.raw`evict\w*|seiz\w*|repossess\w*|move out|take back`],
  [
    'cut (?:you|them|him|her|anyone) off|terminate',
    String.raw`terminat\w*|cancel\w*|end(?:s|ed)?|stop\w*|suspend\w*|disconnect\w*|cut off|notice|clos\w*|block\w*|lock\w*`,
  ],
]

export const graveClaims: readonly WordClaims[] = [
  {
    group: 'money',
    what: 'the promise',
    said: of(
      String.raw`${OWED}(?: \w+){0,6}? (?:is|are|be|been|was|were|gets?)(?: \w+)? ${RELIEVED}|(?:${RELIEVE}) (?:the|your|any|all|our|that|this|half)(?: \w+){0,2}? ${OWED}|no longer owe|owes? (?:us )?nothing|(?:don't|doesn't|won't|do not|will not) owe(?![^.,;:!?]{0,40} (?:until|before|yet|more)(?![a-z]))`,
    ),
    held: of(
      String.raw`${RELIEVED}|${RELIEVE}|${SETTLED}|waiv\w*|forgiv\w*|half|free|remov\w*|credit\w*|reduc\w*|cancel\w*|lower\w*|withdr\w*|charge ?backs?|50 ?%`,
    ),
  },
  {
    group: 'money',
    what: 'the amount',
    said: of(
      String.raw`(?:twice|double|triple|treble) (?:the |that |your |this )?(?:amount|price|deposit|sum|value|fee|cost|rent|fare)`,
    ),
    held: of(String.raw`twice|doubl\w*|tripl\w*|trebl\w*|times`),
  },
  {
    group: 'money',
    what: 'the promise',
    said: of(
      String.raw`(?:we|i|our \w+)(?:'ll| will| shall|'ve| have)? (?:also |gladly |happily )?(?:settled?|foot(?:ed)?|meet|met|shoulder(?:ed)?|absorb(?:ed)?|pick(?:ed)? up|take over|took over) (?:the|your|all|any|this|that)(?: \w+){0,2} (?:${OWED}|expenses?|price)`,
    ),
    held: of(
      String.raw`settl\w*|foot(?:s|ed)?|meets?|met|shoulder\w*|absorb\w*|cover\w*|free|reimburs\w*|(?:us|we|company|shop|seller) (?:pays?|bears?|paid)|(?:paid|borne) by (?:us|the (?:company|shop|seller))|our (?:cost|expense)|collect\w*|unless|except`,
    ),
  },
  {
    group: 'money',
    what: 'what is covered,',
    said: of(
      '(?:guarantees?|warrant(?:y|ies)|insurance) (?:(?:also|even|then) (?:covers?|extends?|includes?|applies)|(?:covers?|extends? to|includes?)(?= [^.,;:!?]{1,40}? (?:as well|too)))',
    ),
    held: of(String.raw`guarant\w*|warrant\w*|insur\w*|cover\w*`),
    isBySentence: true,
  },
  {
    group: 'law',
    what: 'the word of law',
    said: of(
      String.raw`(?:is|are|be|becomes?|was|were|remains?) (?:legally |automatically |then |also )?(?:void|unenforceable)|null and void|(?:contracts?|clauses?|agreements?|debts?|rights?)(?: \w+){0,3}? (?:is|are|be|becomes?|was|were) (?:\w+ )?invalid`,
    ),
    held: of(
      String.raw`void\w*|invalid\w*|unenforceable|laps\w*|null|(?:not|no longer) (?:\w+ )?(?:valid|appl\w+|enforceable)|los(?:es?|t)`,
    ),
  },
  {
    group: 'law',
    what: 'the word of law',
    said: of(String.raw`(?:is|are|be|becomes?|was|were) (?:legally |automatically |then |also )?forfeit(?:ed)?`),
    held: of(String.raw`forfeit\w*|(?:not|never) (?:\w+ )?(?:refunded|returned)|no refund|los(?:es?|t)|kept|keeps?`),
  },
  {
    group: 'law',
    what: 'the word of law',
    said: of(
      String.raw`(?:is|are|be|becomes?|was|were|remains?) (?:legally |automatically |then |also )?(?:binding|enforceable)`,
    ),
    held: of(String.raw`bind\w*|bound|enforc\w*|final|commit\w*`),
  },
  {
    group: 'law',
    what: 'the word of law',
    said: of(
      String.raw`(?:debts?|rights?|claims? (?:under|against|from|of) (?:\w+ ){1,3}?)(?: \w+){0,3}? ?(?:lapses?|expires?|(?:is|are) time-barred)`,
    ),
    held: of(String.raw`laps\w*|expir\w*|time-barred|limit\w*|within|until|no longer|after|later|los(?:es?|t)`),
  },
  {
    group: 'law',
    what: 'the word of law',
    said: of(
      String.raw`counts? as (?:accept\w*|agree\w*|consent)|(?:a|an|any|every|each|whoever|no) ${PARTY}(?: who [^.,;:!?]{0,50}?)? (?:has|have) (?:then |thereby |automatically )?(?:accepted|agreed|waived|consented)`,
    ),
    held: of(String.raw`accept\w*|agree\w*|consent\w*|waiv\w*|approv\w*|deem\w*`),
  },
  {
    group: 'law',
    what: 'the word of law',
    said: of(
      String.raw`no ${OFFICIAL} (?:may|can|must)|(?:we|they|${PARTY})(?:'re| are| is)?(?: not|n't) allowed to(?= \w)`,
    ),
    held: of(
      String.raw`(?:may|must|can|could)(?: not|n't)|can't|cannot|not (?:allowed|permitted)|no (?:\w+ )?\w+ (?:may|can|must)|off limits|confidential|forbid\w*|prohibit\w*|bann\w*|never`,
    ),
  },
  ...powers.map(
    ([power, held]): WordClaims => ({
      group: 'law',
      what: 'the power to',
      said: of(`(?<=(?:may|can|could) (?:(?:not|never|only|also|then|always|even) )?)(?:${power})`),
      held: of(held),
    }),
  ),
  {
    group: 'health',
    what: 'the word of health',
    said: of(
      String.raw`(?:without|free of) (?:any |the |all )?(?:risks?|dangers?|harm)|(?:perfectly|completely|totally|absolutely|entirely|quite) safe|safe (?:in|at) any`,
    ),
    held: of(
      String.raw`(?:no|not|without|free of|[a-z]{2,8}n't)(?: \w+){0,3} (?:risk|danger|harm)\w*|safe\w*|secure\w*|harmless`,
    ),
  },
  {
    group: 'health',
    what: 'the word of health',
    said: of(
      String.raw`tolerat(?:e|es|ed) (?:\w+ ){0,3}(?:well|fine|easily)|(?:stop|prevent|fight|beat|end|banish|shorten|take|clear)(?:s|es|ing)? (?:away )?(?:\w+ ){0,2}${AILMENT}|keep(?:s|ing)? (?:\w+ ){0,3}${AILMENT}(?: \w+){0,2} (?:away|at bay|off)`,
    ),
    held: of(
      String.raw`tolerat\w*|(?:stop|prevent|fight|against|shorten|treat|eas|reliev|help|reduc|sooth|calm|clear|protect|beat)\w* (?:\w+ ){0,5}${AILMENT}`,
    ),
  },
  {
    group: 'health',
    what: 'the all-clear',
    said: of(
      String.raw`(?:no need|not needed|needless|never need|(?:not|[a-z]{2,8}n't) (?:need|have|necessary|required)|(?<!\b(?:not|never|no|nothing|nobody|[a-z]{2,8}n't) [^.;:!?]{0,60})without(?: having to)?) (?:to |for )?(?:\w+ )?(?:ask|asking|see|seeing|consult|consulting|visit|visiting|call|calling|tell|telling) (?:a|an|your|the|any) ${ADVISER}(?! in person)`,
    ),
    held: of(String.raw`(?:no|not|never|without|[a-z]{2,8}n't)[^.;:!?]{0,40}${ADVISER}`),
  },
  {
    group: 'health',
    what: 'the advice',
    where:
      /\b(?:medicines?|medications?|pharmac\w*|prescri\w*|blood thinners?)\b|\b(?:ask|see|tell|consult) (?:a|your|the) doctor\b/,
    said: of(String.raw`(?:gets?|goes?) (?:along|together|well)|(?:combine|mix|take|taken)(?:s|d)? (?:\w+ )?together`),
    held: of(String.raw`together|same time|combin\w*|mix\w*|alongside|compatible|at once`),
  },
  {
    group: 'health',
    what: 'the advice',
    said: of(
      String.raw`(?<!\b(?:not|never|[a-z]{2,8}n't) (?:\w+ )?)(?:stop|skip|pause|halve|double|leave out|come off) (?:taking|(?:the|your|his|her|any|a) (?:\w+ )?${MEDICINE})`,
    ),
    held: of(
      String.raw`stop\w*|skip\w*|paus\w*|halv\w*|half|doubl\w*|leav\w* out|miss\w*|com\w* off|discontinu\w*|no (?:\w+ ){0,2}${MEDICINE}`,
    ),
  },
]
