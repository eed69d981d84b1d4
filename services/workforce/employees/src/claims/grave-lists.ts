/** Turns of phrase about money and health: what is owed and let off, who takes over a cost, no risk, ailments kept away, all-clears. */
import type { WordClaims } from './word-lists.ts'

const of = (words: string): RegExp => new RegExp(String.raw`(?<![\p{L}\p{N}_'-])(?:${words})(?![\p{L}\p{N}])`, 'giu')

const AMOUNT = String.raw`(?:[£$€] ?\d[\d.,]*|\d+ (?:euros?|pounds?|dollars?))`
const OWED = `(?:${AMOUNT}|(?:fee|charge|debit|debt|bill|invoice|payment|amount|cost|surcharge|penalt(?:y|ie)|arrear)s?|balance|interest|rent|postage)`
const RELIEVED =
  '(?:written off|reversed|undone|forgiven|scrapped|dropped|lifted|halved|wiped(?: out)?|struck off|let off|annulled|revoked)'
const RELIEVE =
  '(?:writ(?:e|ing)|wrote|written) off|revers(?:e|ed|ing)|undo|forgiv(?:e|ing)|forgave|scrap(?:ped|ping)?|drop(?:ped|ping)?|lift(?:ed|ing)?|halv(?:e|ed|ing)|wip(?:e|ed|ing) (?:out|off)|str(?:ike|uck) off|annul(?:led)?|revok(?:e|ed)'
const SETTLED = String.raw`(?:all|fines?|bills?|fees?|invoices?) (?:\w+ )?paid(?! by)|no (?:\w+ )?payment|no \w+ (?:is |are )?due|nothing (?:is |more is )?(?:due|owed)|not (?:yet )?due|(?:is|are|was|were|been) (?:\w+ )?paid(?! by)|paid (?:in full|off|up)|settled`

const AILMENT =
  '(?:sunburns?|wrinkles?|flu|fevers?|coughs?|cramps?|hangovers?|jet ?lag|redness|swellings?|eczema|acne|asthma|arthritis|dementia|diabetes|strokes?|tumou?rs?|cancer|colds|sore throats?|bruises|scars)'
const ADVISER = '(?:doctor|pharmacist|gp|physician|dentist|vet|midwife)'

/** Allergens of Regulation (EU) 1169/2011, Annex II, without milk, eggs, fish and the like: “no milk left” is no claim of health. */
const ALLERGEN =
  '(?:(?:pea|wal|hazel|cashew |brazil |tree )?nuts?|almonds?|pistachios?|gluten|lactose|dairy|soya?|sesame|lupins?|celery|shellfish|sulphites?|allergens?)'
const NONE = String.raw`(?:\b(?:no|without|free (?:of|from))|(?:not|[a-z]{2,8}n't) (?:contain|have|use|include))(?: (?:any|trace|traces|of|added|the)){0,3} ${ALLERGEN}|${ALLERGEN}[- ]free`

export const graveClaims: readonly WordClaims[] = [
  {
    group: 'money',
    what: 'the promise',
    said: of(
      String.raw`${OWED}(?: \w+){0,6}? (?:is|are|be|been|was|were|gets?)(?: \w+)? ${RELIEVED}|(?:${RELIEVE}) (?:the|your|any|all|our|that|this|half)(?: \w+){0,2}? ${OWED}|no longer owe|owes? (?:us )?nothing|(?:don't|doesn't|won't|do not|will not) owe(?![^.,;:!?]{0,40} (?:until|before|yet|more)(?![a-z]))`,
    ),
    held: of(
      String.raw`${RELIEVED}|${RELIEVE}|${SETTLED}|waiv\w*|forgiv\w*|half|free|remov\w*|credit\w*|reduc\w*|cancel\w*|lower\w*|withdr\w*|charge ?backs?|50 ?%|no longer (?:costs?|charged|appl\w+)`,
    ),
  },
  {
    group: 'money',
    what: 'the promise',
    said: of(
      String.raw`(?:we|i|our \w+)(?:'ll| will| shall|'ve| have)? (?:also |gladly |happily )?(?:settled?|foot(?:ed)?|meet|met|shoulder(?:ed)?|absorb(?:ed)?|pick(?:ed)? up|take over|took over) (?:the|your|all|any|this|that)(?: \w+){0,2} (?:${OWED}|expenses?|price)`,
    ),
    held: of(
      String.raw`settl\w*|foot(?:s|ed)?|meets?|met|shoulder\w*|absorb\w*|cover\w*|free|reimburs\w*|(?:us|we|company|shop|seller) (?:pays?|bears?|paid)|(?:paid|borne) by (?:us|the (?:company|shop|seller))|our (?:cost|expense)|(?:no|without) (?:\w+ )?(?:cost|charge)|included|collect\w*|unless|except`,
    ),
  },
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
      String.raw`(?:stop|prevent|fight|beat|end|banish|shorten|take|clear)(?:s|es|ing)? (?:away )?(?:\w+ ){0,2}${AILMENT}|keep(?:s|ing)? (?:\w+ ){0,3}${AILMENT}(?: \w+){0,2} (?:away|at bay|off)`,
    ),
    held: of(
      String.raw`(?:stop|prevent|fight|against|shorten|treat|eas|reliev|help|reduc|sooth|calm|clear|protect|beat)\w* (?:\w+ ){0,5}${AILMENT}`,
    ),
  },
  {
    group: 'health',
    what: 'the allergen',
    said: of(NONE),
    held: of(String.raw`${NONE}|vegan|(?:no|without|free (?:of|from)) (?:\w+ )?(?:milk|eggs?|wheat|cheese)`),
  },
  {
    group: 'health',
    what: 'the allergen',
    said: of(String.raw`allerg(?:y|ies|ic|ens?)`),
    held: of(`allerg(?:y|ies|ic|ens?)|${ALLERGEN}`),
  },
  {
    group: 'health',
    what: 'the all-clear',
    said: of(
      String.raw`(?:nothing|not|never|hardly|[a-z]{2,8}n't)(?: too| very| at all| really| anything)? (?:serious|contagious|infectious)|no (?:cause|reason) for (?:concern|alarm)|(?:fine|ok|okay|all right|alright) to (?:eat|drink|swallow)`,
    ),
    held: of(
      String.raw`(?:no|not|nothing|never|[a-z]{2,8}n't)(?: \w+){0,2} (?:serious|dangerous|danger|contagious|infectious|concern)|harmless|safe|edible|(?:fine|ok|okay|all right|alright|may|can)\b.{0,30}\b(?:eat|eaten|drink|drunk|drinking|swallow)`,
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
]
