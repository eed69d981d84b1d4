/** Words that promise, and words that law, health or proof must back: each is known only where it was given. */
import { superlativesIn } from '../text/superlatives.ts'
import type { Material } from './material.ts'
import { flat, formsOf, stemsOf } from './words.ts'

export type ClaimGroup = 'figure' | 'date' | 'name' | 'address' | 'quote' | 'money' | 'law' | 'health' | 'act' | 'claim'

export interface WordClaims {
  readonly group: ClaimGroup
  readonly what: string
  readonly said: RegExp
  /** What stands for the same: some of it must be in a paragraph that shares a word with the sentence. Else the word itself. */
  readonly held?: RegExp
  /** Nothing that is given can hold it. */
  readonly isNever?: boolean
}

const of = (words: string): RegExp => new RegExp(String.raw`(?<![\p{L}\p{N}-])(?:${words})(?![\p{L}\p{N}])`, 'giu')

const free = String.raw`free(?! (?:to|time|of (?:trouble|doubt)|from))|free of charge|(?:at )?no (?:extra |additional |further )?(?:charge|cost|fee)s?|costs? (?:you |customers )?nothing|complimentary|on (?:us|the house)|no postage|gratis|without (?:charge|paying|cost)|(?:pay|costs?) no\w*|(?:not|n't) (?:have to |need to )?pay|for nothing`

const toAccount = String.raw`(?:wir(?:ed?|ing)|transferr?(?:ed|ing)?|deposit(?:ed|ing)?|remit(?:ted|ting)?) (?:\w+ ){0,6}(?:in)?to (?:your|their|the) (?:bank )?accounts?|(?:your|the) (?:money|funds) (?:is|are|has been|have been|will be) (?:\w+ )?(?:coming|returning|returned|wired|transferred|back)`

/** The longest list comes first: each is known by all of its group. */
export const wordClaims: readonly WordClaims[] = [
  {
    group: 'money',
    what: 'the promise',
    said: of(
      String.raw`refund\w*|reimburs\w*|money[- ]back|(?:your|their|the) money back|(?:paid|pay|pays|paying|give|gives|giving|get|gets|transfer\w*) (?:\w+ ){0,4}back(?! to)|full (?:price|amount|fare)|credit(?:ed)? (?:to )?your|(?:bank|credit|debit) (?:card|account)s?|charge ?backs?|${toAccount}`,
    ),
    held: of(
      String.raw`refund\w*|reimburs\w*|money\b.{0,200}\b(?:card|account|back)|${toAccount}|compensation|(?:paid|pay|pays) back|paid for`,
    ),
  },
  {
    group: 'money',
    what: 'the amount',
    said: of(
      String.raw`(?:full|whole|entire|complete|total|all) (?:of )?(?:the |your |a )?(?:\w+ ){0,1}(?:refund|fare|price|amount|money|cost|costs|order|bill)`,
    ),
    held: of(String.raw`(?:full|whole|entire|complete|total|all)`),
  },
  { group: 'money', what: 'the promise', said: of(free), held: of(`${free}|free`) },
  { group: 'money', what: 'the promise', said: of(String.raw`waiv\w*`) },
  {
    group: 'money',
    what: 'the offer',
    said: of(
      String.raw`discount\w*|vouchers?|coupons?|\d+ ?% off|rebates?|gift cards?|gifts?|promo(?:tion)?(?: code)?s?|special offers?|half[- ]price|reduced prices?|lower prices?|cheaper|bargains?|on sale|store credit|goodwill|loyalty points?|bonus(?:es)?|cash ?back|savings?|saves? (?:you|every\w*|money|up)|pays? for itself|interest[- ]free|instal?lments?`,
    ),
  },
  {
    group: 'money',
    what: 'the promise',
    said: of(
      String.raw`compensat\w*|(?:pay|paying|paid|liable for|claim) damages|make (?:it|this|that) up to|make up for|reward\w*`,
    ),
  },
  {
    group: 'money',
    what: 'the promise',
    said: of(
      String.raw`(?:we|our company|i)(?:'ll| will| shall| have|'ve)? (?:also )?(?:pay|paid|cover\w*|bear|match|give you(?! a (?:call|ring))|offer you)|(?:is|are|be) (?:fully )?(?:covered|paid) by|insured|insurance|all insurers`,
    ),
    held: of(String.raw`pay\w*|paid|cover\w*|bears?|free|insurers?|insur\w*|money`),
  },
  {
    group: 'money',
    what: 'the promise',
    said: of(String.raw`guarant\w*|warrant\w*|we promise|rest assured|risk[- ]free|no[- ]risk`),
    held: of(String.raw`guarant\w*|warrant\w*|promise\w*`),
  },
  {
    group: 'money',
    what: 'the promise',
    said: of(String.raw`lifetime|life[- ]long|for life|forever|unlimited|no (?:\w+ )?(?:needed|required|necessary)`),
  },
  {
    group: 'claim',
    what: 'the promise',
    said: of(
      String.raw`deliver\w*|ship(?:s|ped|ping|ment|ments)?|dispatch\w*|on (?:its|their|the) way(?! (?:to|from|home|up|down|out))`,
    ),
    held: of(String.raw`deliver\w*|ship\w*|dispatch\w*|sen[dt]\w*|goes out|arriv\w*|postage|post(?:ed|s)?|parcels?`),
  },
  {
    group: 'claim',
    what: 'the promise',
    said: of(
      String.raw`couriers?|track(?:ing|ed)|express|collect (?:it|the|your)|pick(?:ed)? it up|picked up|doorstep|at your door`,
    ),
  },
  {
    group: 'claim',
    what: 'the promise',
    said: of(String.raw`replac\w*|exchang\w*|swap\w*`),
    held: of(String.raw`replac\w*|exchang\w*|swap\w*|new`),
  },
  {
    group: 'claim',
    what: 'the pressure',
    said: of(
      String.raw`while stocks? lasts?|last chance|only (?:a few|\w+) left|selling fast|almost gone|hurry|for a (?:short|limited) time|limited|exclusive\w*|ends (?:soon|today|tonight)|deadline`,
    ),
  },
  {
    group: 'claim',
    what: 'the word',
    said: of(
      String.raw`awards?|award-winning|winn(?:er|ers|ing)|prizes?|certif\w*|[a-z]+-certified|accredit\w*|approv\w*|granted|tested|proven|recommended by|endors\w*|trusted|rated|top[- ]rated|\w+[- ]star|bestsell\w*|patent\w*|organic\w*|sustainab\w*|eco[- ]?friendly|climate[- ]neutral|carbon[- ]neutral|vegan|recycl\w*|fair[- ]trade|never|every(?:one|body)(?! who)|always(?! (?:welcome|happy|glad|here|ready|worth))|unlike (?:any|other)|than any|more than any other`,
    ),
  },
  {
    group: 'claim',
    what: 'the proof',
    said: of(
      String.raw`stud(?:y|ies) (?:show|shows|prove|find|found|suggest)\w*|stud(?:y|ies)|research\w*|scientists?|scientific\w*|experts?|surveys?|statistic\w*|statistically|significan\w*|evidence|expected to|forecasts?|predict\w*|projected|caused by|due to|owing to|led to|resulted? in|understaffed`,
    ),
  },
  {
    group: 'law',
    what: 'the word of law',
    said: of(
      String.raw`laws?|lawful\w*|lawyers?|legal\w*|illegal\w*|statut\w*|entitle\w*|(?:your|consumer|customer|statutory|legal) rights?|(?:the|a|no|every) right to|regulations?|regulated|directives?|oblig\w*|liab\w*|complian\w*|compl(?:y|ies) with|gdpr|courts?|lawsuits?|sue|licen[cs]ed?|breach\w*|legislation|ombudsman|tax(?:es|[- ]free|[- ]deductible)?|vat|deductible|terms and conditions|rights act|(?<=\p{L} )act(?= (?:requires|of|says))`,
    ),
  },
  {
    group: 'health',
    what: 'the word of health',
    said: of(
      String.raw`cur(?:e|es|ed|ing)|heal(?:s|ed|ing)?|prevent\w*|clinical\w*|dermatolog\w*|medical\w*|medicines?|medications?|disease\w*|illness\w*|symptom\w*|immun\w*|blood|anxiety|depression|cancer|side[- ]effects?|detox\w*|hypoallergenic|allerg\w*|gluten\w*|toxi\w*|non-toxic|dos(?:e|es|age)|health\w*|digest\w*|hearts?|(?:fall )?asleep|sleep|insomnia|stomachs?|skin|gut|brains?|joints?|bones?|livers?|lungs?|gentle on|pains?|painless|relie(?:ves?|ving) |(?:your|the|protects?) eyes?|eyesight|posture|vitamins?|therap(?:y|ies|eutic)|treatments?|treats? (?!you|your(?:self)|my)|chronic|surgery|diagnos\w*|weight loss|lose weight|burns? fat|metabolism|safe for|harmless|sterile|antibacterial|hygienic|wellbeing|well-being|worse outcomes|better outcomes|boosts?`,
    ),
  },
]

/** Of a table, which knows no causes, no future and no advice. */
export const tableClaims: readonly WordClaims[] = [
  {
    group: 'claim',
    what: 'no table tells a cause:',
    isNever: true,
    said: of(
      String.raw`because|cause[sd]?|causing|due to|owing to|thanks to|leads? to|led to|results? in|resulted in|drives?|driven by|therefore`,
    ),
  },
  {
    group: 'claim',
    what: 'no table tells the future or gives advice:',
    said: of(String.raw`will|likely|expect(?:ed)?|forecasts?|should|must|ought to|needs? to|recommend\w*|outlook`),
  },
]

/** What of a claim's words was not given. */
export function claimWords(
  { group, said, held, isNever = false }: WordClaims,
  sentence: string,
  material: Material,
): string[] {
  const text = flat(sentence).replaceAll(asked, ' ')
  const found = [...text.matchAll(said)].map(({ 0: words, index }) => ({ words, denied: isDenied(text, index, words) }))
  if (found.length === 0 || isNever) return found.map(({ words }) => words)
  const own = [...stemsOf(text.replaceAll(said, ' '))].filter(stem => !isCommon(stem))
  return found
    .filter(({ words, denied }) =>
      held === undefined || (group === 'claim' && holdsWords(words, denied, material))
        ? !holdsWords(words, denied, material)
        : !holdsClaim(held, own, denied, material),
    )
    .map(({ words }) => words)
}

/** What the customer is said to want is told back to them. */
const asked =
  /\byou(?:'d| have|'ve|r)? (?:ask(?:ed)?(?: us)? (?:for|about|whether|if)|wanted|wish(?:ed)? for|request(?:ed)?|mention(?:ed)?|wonder(?:ed)?|question about)\b(?:(?!\b(?:and|but|so|then|we|you|i)\b)[^.,;:!?]){0,60}/g

/** Whether a paragraph that shares a word with the sentence has the claim, and does not deny it where the sentence claims it. */
const holdsClaim = (held: RegExp, own: readonly string[], denied: boolean, { paragraphs }: Material): boolean =>
  paragraphs.some(
    ({ text, stems }) =>
      own.some(stem => stems.has(stem)) &&
      [...text.matchAll(held)].some(({ 0: words, index }) => denied || !isDenied(text, index, words)),
  )

/** Whether each longer word of them stands in what may be claimed. */
const holdsWords = (words: string, denied: boolean, material: Material): boolean =>
  isNeedless(words, material) || hasWords(words, denied, material)

/** “No tools required” where it is said to go without tools. */
function isNeedless(words: string, { paragraphs }: Material): boolean {
  const [, thing] = /^no (\w{3,}) (?:needed|required|necessary)$/.exec(words) ?? []
  return (
    thing !== undefined &&
    paragraphs.some(({ text }) => placesOf(text, thing).some(index => isDenied(text, index, thing)))
  )
}

const hasWords = (words: string, denied: boolean, { paragraphs }: Material): boolean =>
  words
    .split(/[ -]/)
    .filter(word => word.length > 2)
    .every(word =>
      paragraphs.some(({ text, stems }) => {
        if (!formsOf(word).some(form => stems.has(form))) return false
        const start = word.slice(0, 5)
        const at = placesOf(text, start)
        return denied || at.length === 0 || at.some(index => !isDenied(text, index, start))
      }),
    )

function placesOf(text: string, part: string): number[] {
  const found: number[] = []
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) found.push(at)
  return found
}

/** Whether a “no” or “not” stands close before the words, or just behind them. */
function isDenied(text: string, index: number, words: string): boolean {
  const before = text.slice(Math.max(0, index - 40), index)
  const behind = text.slice(index + words.length, index + words.length + 25)
  return denial.test(before) || /^[^.,;:!?]{0,12}\b(?:not|n't|never|impossible|cannot|can't|isn't)\b/.test(behind)
}

const denial =
  /\b(?:not(?! only| just)|no(?! doubt| question| problem| worries)|never|nor|neither|cannot|can't|unable|declin\w*|refus\w*|without|\w+n't)\b[^.,;:!?]{0,38}$/

const isCommon = (stem: string): boolean => stem.length < 3 || common.has(stem)
const common: ReadonlySet<string> = new Set(
  'the and for you your our with are will has have had was were that this not can all but any its from get got who when what than then they them into out one'.split(
    ' ',
  ),
)

/** Superlatives that what may be claimed does not have. */
export const superlativesNew = (sentence: string, { paragraphs }: Material, isOfTable = false): string[] =>
  superlativesIn(sentence)
    .map(flat)
    .filter(word => !(isOfTable && (ofTables.test(word) || isMostIn(word, paragraphs))))
    .filter(
      word => !paragraphs.some(({ text, stems }) => text.includes(word) || formsOf(word).some(form => stems.has(form))),
    )

/** “The most rides” where their highest number was given. */
const isMostIn = (word: string, paragraphs: Material['paragraphs']): boolean =>
  word.startsWith('most ') &&
  paragraphs.some(({ text, stems }) => greatest.test(text) && formsOf(word.slice(5)).some(form => stems.has(form)))

const greatest = /(?<!\p{L})(?:highest|most|largest)(?!\p{L})/u

/** A table has a least and a most of everything. */
const ofTables = /^(?:highest|lowest|largest|biggest|greatest)$/

const business =
  'refunded cancelled canceled replaced shipped sent dispatched credited paid approved unlocked upgraded extended reserved booked waived escalated reset issued transferred reimbursed compensated blocked closed deleted activated confirmed fixed resolved repaired arranged contacted informed notified reported accepted granted processed registered scheduled instructed ordered'
const past = new RegExp(
  String.raw`(?<!\p{L})(?:we|i|our \p{L}+|your (?:\p{L}+ ){1,3}|(?:the )?(?:refund|payment|transfer|replacement|parcel|order|account|claim|ticket|money|amount)) ?(?:have |has |had |was |were |'ve |is )?(?:(?:already|just|now|also|been|today|since|therefore) ){0,3}(${business.split(' ').join('|')})(?!\p{L})`,
  'giu',
)
const planned =
  /(?<!\p{L})(?:we|i|our \p{L}+|somebody|someone|a colleague)(?:'ll| will| shall| are going to| am going to) (?:\p{L}+ly |also |then |now )?(call|phone|ring|visit|collect|extend|cancel|credit|upgrade|install|repair|match|add|unlock|reset|ship|send|deliver|replace|refund|cover|pay)(?!\p{L})/giu

/** Acts that somebody says were done, or will be, and that were not given as such: “to be sent” is not “sent”. */
export function actsIn(sentence: string, { paragraphs }: Material): string[] {
  const text = flat(sentence)
  const done = [...text.matchAll(past)].filter(
    ([shown, act = '']) => !isQuality.test(shown) && !paragraphs.some(one => isDoneIn(one.text, act)),
  )
  const coming = [...text.matchAll(planned)].filter(
    ([, act = '']) =>
      !paragraphs.some(one => (same.get(act) ?? [act]).some(word => formsOf(word).some(form => one.stems.has(form)))),
  )
  return [...done, ...coming].map(([shown]) => shown.trim())
}

/** “Your reserved books” tells of no act. */
const isQuality = /^your (?!.*\b(?:have|has|had|was|were|is)\b)/

/** “To be sent” is not yet sent. */
const isDoneIn = (text: string, act: string): boolean => new RegExp(`(?<!\\bbe )\\b${act}\\b`).test(text)

const sending = ['send', 'ship', 'deliver', 'goes', 'dispatch', 'post', 'arrive']
const same: ReadonlyMap<string, readonly string[]> = new Map([
  ['send', sending],
  ['ship', sending],
  ['deliver', sending],
  ['pay', ['pay', 'free', 'cover', 'refund', 'reimburse', 'compensation']],
  ['cover', ['pay', 'free', 'cover']],
  ['call', ['call', 'phone', 'ring']],
  ['phone', ['call', 'phone', 'ring']],
])
