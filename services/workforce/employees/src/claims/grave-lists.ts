/** Turns of phrase about money, law and health, by classes of verbs: relief of what is owed, powers of others, cures, all clear. */
import type { WordClaims } from './word-lists.ts'

const of = (words: string): RegExp => new RegExp(String.raw`(?<![\p{L}\p{N}'-])(?:${words})(?![\p{L}\p{N}])`, 'giu')

const AMOUNT = String.raw`(?:[£$€] ?\d[\d.,]*|\d+ (?:euros?|pounds?|dollars?))`
const OWED = `(?:${AMOUNT}|(?:fee|charge|debit|debt|bill|invoice|payment|amount|cost|surcharge|penalt(?:y|ie)|arrear)s?|balance|interest|rent|postage)`
const RELIEVED =
  '(?:written off|reversed|undone|forgiven|scrapped|dropped|lifted|halved|wiped(?: out)?|struck off|let off|annulled|revoked)'
const RELIEVE =
  '(?:writ(?:e|ing)|wrote|written) off|revers(?:e|ed|ing)|undo|forgiv(?:e|ing)|forgave|scrap(?:ped|ping)?|drop(?:ped|ping)?|lift(?:ed|ing)?|halv(?:e|ed|ing)|wip(?:e|ed|ing) (?:out|off)|str(?:ike|uck) off|annul(?:led)?|revok(?:e|ed)'

const PARTY =
  '(?:employer|seller|retailer|trader|provider|supplier|airline|carrier|landlord|tenant|consumer|buyer|lender|insurer|bank|dealer|manufacturer|hotel|agent|compan(?:y|ie)|customer|debtor|creditor)s?'
const POWER = String.raw`(?:claim|sue|demand|withhold|insist on|evict|deduct|cut (?:you|them|him|her|anyone) off|terminate|seize|keep (?:the|your|their|all|half|part) (?:\w+ )?(?:deposit|money|payment|fee|amount))`

const AILMENT =
  '(?:sunburns?|wrinkles?|flu|fevers?|coughs?|cramps?|hangovers?|jet ?lag|redness|swellings?|eczema|acne|asthma|arthritis|dementia|diabetes|strokes?|tumou?rs?|cancer|colds|sore throats?|bruises|scars|moles)'
const ADVISER = '(?:doctor|pharmacist|gp|physician|dentist|vet|midwife|specialist)'

export const graveClaims: readonly WordClaims[] = [
  {
    group: 'money',
    what: 'the promise',
    said: of(
      String.raw`${OWED}(?: \w+){0,6}? (?:is|are|be|been|was|were|gets?)(?: \w+)? ${RELIEVED}|(?:${RELIEVE}) (?:the|your|any|all|our|that|this|half)(?: \w+){0,2}? ${OWED}|no longer owe|owes? (?:us )?nothing|(?:don't|doesn't|won't|do not|will not) owe`,
    ),
    held: of(String.raw`${RELIEVED}|${RELIEVE}|waiv\w*|forgiv\w*|half|remov\w*|credit\w*|reduc\w*|settled|paid off`),
  },
  {
    group: 'money',
    what: 'the amount',
    said: of(
      String.raw`(?:twice|double|triple|treble|(?:two|three|four|five|ten|\d+) times) (?:the |that |your |this )?(?:amount|price|deposit|sum|value|fee|cost|rent|fare|over)`,
    ),
  },
  {
    group: 'money',
    what: 'the promise',
    said: of(
      String.raw`(?:we|i|our \w+)(?:'ll| will| shall|'ve| have)? (?:also |gladly |happily )?(?:settled?|foot(?:ed)?|meet|met|shoulder(?:ed)?|absorb(?:ed)?|pick(?:ed)? up|take over|took over) (?:the|your|all|any|this|that)(?: \w+){0,2} (?:${OWED}|expenses?|price)`,
    ),
  },
  {
    group: 'money',
    what: 'what is covered,',
    said: of(
      '(?:guarantees?|warrant(?:y|ies)|insurance) (?:also |even |then )?(?:covers?|extends?|includes?|appl(?:y|ies))',
    ),
    held: of(String.raw`guarant\w*|warrant\w*|insur\w*|cover\w*`),
    isBySentence: true,
  },
  {
    group: 'law',
    what: 'the word of law',
    said: of(
      String.raw`(?:is|are|be|becomes?|was|were|remains?) (?:legally |automatically |then |also )?(?:void|invalid|binding|enforceable|unenforceable|forfeit(?:ed)?|time-barred)|null and void|(?:debts?|claims?|rights?)(?: \w+){0,3}? (?:lapses?|expires?)|counts? as (?:accept\w*|agree\w*|consent)|(?:lose|loses|lost|forfeit\w*|give up) (?:\w+ ){0,2}(?:rights?|claims?|entitlement)|no ${PARTY} (?:may|can|must|is)|${PARTY}(?: who [^.,;:!?]{0,50}?)? (?:has|have) (?:then |thereby |automatically )?(?:accepted|agreed|waived|consented)|(?:we|they|${PARTY})(?:'re| are| is)?(?: not|n't) allowed to \w+`,
    ),
  },
  {
    group: 'law',
    what: 'the power to',
    said: of(`(?<=(?:may|can|could) (?:(?:not|never|only|also|then|always|even) )?)${POWER}`),
  },
  {
    group: 'health',
    what: 'the word of health',
    said: of(
      String.raw`(?:without|free of) (?:any |the |all )?(?:risks?|dangers?|harm)|tolerat(?:e|es|ed) (?:\w+ ){0,3}(?:well|fine|easily)|(?:perfectly|completely|totally|absolutely|entirely|quite) safe|safe (?:in|at) any|(?:stop|prevent|fight|beat|end|banish|shorten|take|clear)(?:s|es|ing)? (?:away )?(?:\w+ ){0,2}${AILMENT}|keep(?:s|ing)? (?:\w+ ){0,3}${AILMENT}(?: \w+){0,2} (?:away|at bay|off)`,
    ),
  },
  {
    group: 'health',
    what: 'the all-clear',
    said: of(
      String.raw`(?:no|not|\w+n't|without) (?:need(?:ed)? |have |having |any need |necessary )?(?:to |for )?(?:\w+ ){0,2}?(?:ask|asking|see|seeing|consult|consulting|visit|call|tell)(?:ing)? (?:a|an|your|the|any) ${ADVISER}`,
    ),
    held: of(String.raw`(?:no need|not|\w+n't|without)[^.;:!?]{0,40}${ADVISER}`),
  },
  {
    group: 'health',
    what: 'the advice',
    where: /\b(?:doctors?|pharmac\w*|medicines?|medication|dos(?:e|es|age)|tablets?|capsules?|patients?)\b/,
    said: of(
      String.raw`(?:gets?|goes?) (?:along|together|well)|(?:combine|mix|take|taken)(?:s|d)? (?:\w+ )?together|(?:stop|skip|pause|halve|double|leave out|come off) (?:taking )?(?:the|your|his|her|any|a) \w+`,
    ),
  },
]
