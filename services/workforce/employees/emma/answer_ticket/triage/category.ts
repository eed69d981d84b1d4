/** What a ticket is about. */
import { stemOf, wordsOf } from '../../../src/text/english.ts'
import { sentencesOf } from '../../../src/text/sentences.ts'
import { withoutPhrases } from '../search/phrases.ts'
import { dangerIn, harmIn, threatsIn } from './grave.ts'

export interface Category {
  readonly name: string
  /** The words that speak for it, as they stand in the ticket. */
  readonly words: readonly string[]
}

/** A category that the brief names itself. */
export interface OwnCategory {
  readonly name: string
  readonly words: readonly string[]
}

/** A list of words of which each counts so much. */
interface Weighed {
  readonly name: string
  readonly lists: readonly { readonly weight: number; readonly words: readonly string[] }[]
}

/** Among the words, what touches security is that before anything else. */
const GRAVE = 4
const STRONG = 2
const WEAK = 1

/** The category whose words in the ticket weigh most, of several the first; `other` where there is none. */
export function categoryOf(ticket: string, own: readonly OwnCategory[] = []): Category {
  const grave = own.length > 0 ? undefined : graveOf(ticket)
  if (grave) return grave
  const categories =
    own.length > 0 ? own.map(({ name, words }): Weighed => ({ name, lists: [{ weight: STRONG, words }] })) : usual
  const words = wordsAndNumbers(ticket)
  let best = { name: 'other', words: new Set<string>(), score: 0 }
  for (const category of categories) {
    const found = weigh(words, category)
    if (found.score > best.score) best = { name: category.name, ...found }
  }
  if (own.length === 0 && best.score < STRONG) {
    const asked = weigh([...words.filter(word => !isAsking(word)), ...askedIn(ticket)], howTo)
    if (asked.score > best.score) best = { name: howTo.name, ...asked }
  }
  return { name: best.name, words: [...best.words] }
}

/** Whoever is hurt, or goes to law, writes about that, whatever else is spoken of. */
function graveOf(ticket: string): Category | undefined {
  const harm = [...harmIn(ticket), ...dangerIn(ticket)]
  if (harm.length > 0) return { name: 'safety', words: harm }
  const threats = threatsIn(ticket)
  return threats.length > 0 ? { name: 'legal', words: threats } : undefined
}

/** The words of a ticket's questions that ask how something goes: elsewhere “You can reach me” asks nothing. */
const askedIn = (ticket: string): string[] =>
  sentencesOf(ticket)
    .map(({ start, end }) => ticket.slice(start, end))
    .filter(sentence => sentence.endsWith('?') || isAsking(wordsOf(sentence.slice(0, BEGINNING))[0] ?? ''))
    .flatMap(sentence => wordsOf(sentence).filter(isAsking))

/** Signs in which a sentence says whether it begins as a question. */
const BEGINNING = 40

/** Each counts once. What is listed may be several words: they are found where they follow each other, in any of their forms. */
function weigh(words: readonly string[], { lists }: Weighed): { words: Set<string>; score: number } {
  const weights = new Map(
    lists.flatMap(({ weight, words }) => words.map(listed => [stemsOf(listed).join(' '), weight] as const)),
  )
  const longest = Math.max(...[...weights.keys()].map(stems => stems.split(' ').length))
  const stems = words.map(stemApart)
  const found = new Set<string>()
  let score = 0
  for (let at = 0; at < words.length; at++)
    for (let end = at + 1; end <= Math.min(at + longest, words.length); end++) {
      const key = stems.slice(at, end).join(' ')
      const weight = weights.get(key)
      if (weight === undefined) continue
      weights.delete(key)
      found.add(words.slice(at, end).join(' '))
      score += weight
    }
  return { words: found, score }
}

/** Several words are read as a ticket is, or they would never meet what is written there. */
function stemsOf(listed: string): string[] {
  const word = listed.trim().toLowerCase()
  return (/\s/.test(word) ? wordsOf(withoutPhrases(word)) : [word]).map(stemApart)
}

/** A product is not what is meant by “production”, whose stem it is. */
const stemApart = (word: string): string => (/^products?$/.test(word) ? 'product.' : stemOf(word))

function wordsAndNumbers(text: string): string[] {
  const plain = withoutPhrases(text.toLowerCase()).replace(ofSoftware, ' ')
  return [
    ...wordsOf(plain),
    ...(plain.match(statusOrFactor) ?? []),
    ...(sentBack.test(plain) ? ['return'] : []),
    ...(awaited.test(plain) ? ['delivery'] : []),
    ...(misfit.test(plain) ? ['exchange'] : []),
  ]
}

/** A package name, the npm package: nobody delivers it. */
const ofSoftware =
  /\b(?:(?:npm|pip|python|java|go|node|apt|debian|proto|maven|nuget|composer) packages?\b|packages? (?=names?\b|managers?\b|imports?\b|registry\b|versions?\b))/g

/** 500 as the status of an answer, and not 500 MB, € 500 or order 500. */
const statusOrFactor =
  /(?<![$€£¥#.,]\s?|\b(?:orders?|invoices?|tickets?|rooms?|items?|articles?|models?|flights?|pages?|numbers?|no\.?|paid|pay)\s)\b[45]\d\d\b(?![.,]\d|\s?(?:[kmgt]i?b|bytes?|[km]?bits?|m?s|seconds|minutes|hours|days|weeks|k?m|cm|mm|k?g|ml|l|w|kwh|px|dpi|pages|people|users|euros?|dollars?|pounds?|eur|usd|gbp|chf)\b|\s?[%€$£°])|\b2fa\b/g

/** “Send it back”, “I sent the shoes back” */
const sentBack = /\bsen(?:d|t|ding)(?: \p{L}+){1,5} back\b/u

/** “Where is my order?”, “When will it arrive?”, “My order hasn't come” */
const awaited = new RegExp(
  [
    String.raw`\bwhere(?:'s|’s| is| are)(?: \p{L}+){1,2} (?:order|purchase|goods|stuff|things)\b(?! (?:confirmation|number|history))`,
    String.raw`\bwhere (?:my|our) (?:order|purchase|goods|stuff|things) (?:is|are)\b`,
    String.raw`\b(?:until|till|before) (?:i|we) (?:get|have|receive) (?:my|our|the) (?:order|purchase|goods|stuff|things)\b`,
    String.raw`\b(?:when|what (?:day|date|time))\b(?![^.?!\n]{0,60}\b(?:app|feature|fix|money|refund|release|update|version)\b)(?: \p{L}+){1,5} (?:arrive|come|expect|be here|get here|turn up)\b`,
    String.raw`\border(?:ed)?\b[^.?!\n]{0,40}(?:\bnot|\bnever|n't|n’t)(?: \p{L}+)? (?:arrived?|come|here|turned up|shown up)\b`,
    String.raw`\border (?:was|is|has been) (?:due|late|overdue|delayed)\b`,
    String.raw`\b(?:news|update) (?:on|of|about)(?: \p{L}+)? order\b`,
  ].join('|'),
  'u',
)

/** What came is not what was ordered, or does not fit: “the wrong size”, “You sent the wrong model”. */
const misfit = new RegExp(
  [
    String.raw`\bwrong (?:size|item|pair)\b`,
    String.raw`\b(?:got|received|sent|delivered)\b[^.?!\n]{0,30}\bwrong (?:colou?r|model|product|article|one|thing)\b`,
    String.raw`\b(?:got|received|sent|bought|ordered)\b[^.?!\n]{0,30}\btoo (?:small|large|big|tight|loose|long|short|wide)\b`,
    String.raw`\b(?:is|are|was|were) too (?:tight|loose)\b`,
    String.raw`\b(?:asked for|chose|ordered|wanted)\b[^.?!\n]{0,30}\b(?:and|but) (?:i got|got|received|you sent)(?: me)? (?:an?|the)\b`,
    String.raw`\bnot (?:the|what)(?: \p{L}+)? (?:i|we) (?:asked for|bought|chose|ordered)\b`,
    String.raw`\b(?:do|does|did)(?: not|n't|n’t) fit\b(?! (?:a|in|into|on|the)\b)`,
  ].join('|'),
  'u',
)

const usual: readonly Weighed[] = [
  category(
    'security',
    GRAVE,
    'hacked breach vulnerability leaked phishing stolen compromised exploit malware',
    'unauthorized github public suspicious attacker fraud',
  ),
  category(
    'outage',
    STRONG,
    'outage unavailable unreachable offline blackout 502 503 504',
    'downtime everybody everyone production nobody entire loading timeouts server',
  ),
  category(
    'cancellation',
    STRONG,
    'unsubscribe terminate cancellation',
    'cancel close subscription account contract membership end leave delete',
  ),
  category(
    'billing',
    STRONG,
    'invoice billing refund charged payment vat paypal receipt price pricing cost',
    'bill plan pay paid money card tax subscription discount upgrade downgrade euro dollar currency expensive',
  ),
  category(
    'account',
    STRONG,
    'password login username locked 2fa sso',
    'account email access invite user teammate colleague key credentials permission token role profile suspended',
  ),
  category(
    'feature_request',
    STRONG,
    'suggestion roadmap wish feature wishlist',
    'add support would love great nice integration plan option',
  ),
  category(
    'bug',
    STRONG,
    'bug crash exception stacktrace broken error 500',
    'fail wrong unexpected stuck missing issue problem suddenly since stopped freezes incorrect',
  ),
  category(
    'delivery',
    STRONG,
    'parcel package delivery deliver shipping shipment courier tracking dispatched',
    'arrive express late driver postage order',
  ),
  category(
    'returns',
    STRONG,
    'return exchange postage faulty defective warranty damaged',
    'broken wrong item fit refund arrive label',
  ),
  category('order', STRONG, 'stock preorder backorder basket', 'order confirmation size colour color item gift'),
  category(
    'feedback',
    STRONG,
    'thanks compliment complaint kudos',
    'great love disappointed terrible awesome happy unhappy rude',
  ),
]

/** How something is done is what a ticket is about where it asks and is about nothing else. */
const howTo = category(
  'how_to',
  STRONG,
  'how where tutorial documentation guide manual',
  'can what which possible way setup configure explain example does change find use start',
)
const isAsking = (word: string) => asking.has(word)
const asking = new Set('how where can what which possible way does'.split(' '))

function category(name: string, weight: number, strong: string, weak: string): Weighed {
  return {
    name,
    lists: [
      { weight: WEAK, words: weak.split(' ') },
      { weight, words: strong.split(' ') },
    ],
  }
}
