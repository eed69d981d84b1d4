/** What a ticket is about. */
import { stemOf, wordsOf } from '../../../../src/text/english.ts'
import { withoutPhrases } from '../search/phrases.ts'

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

/** What touches security is that before anything else. */
const GRAVE = 4
const STRONG = 2
const WEAK = 1

/** The category whose words in the ticket weigh most, of several the first; `other` where there is none. */
export function categoryOf(ticket: string, own: readonly OwnCategory[] = []): Category {
  const categories =
    own.length > 0 ? own.map(({ name, words }): Weighed => ({ name, lists: [{ weight: STRONG, words }] })) : usual
  const words = wordsAndNumbers(ticket)
  let best = { name: 'other', words: new Set<string>(), score: 0 }
  for (const category of categories) {
    const found = weigh(words, category)
    if (found.score > best.score) best = { name: category.name, ...found }
  }
  return { name: best.name, words: [...best.words] }
}

/** Each stem counts once. */
function weigh(words: readonly string[], { lists }: Weighed): { words: Set<string>; score: number } {
  const weights = new Map(
    lists.flatMap(({ weight, words }) => words.map(word => [stemOf(word.toLowerCase()), weight] as const)),
  )
  const found = new Set<string>()
  let score = 0
  for (const word of words) {
    const weight = weights.get(stemOf(word))
    if (weight === undefined) continue
    weights.delete(stemOf(word))
    found.add(word)
    score += weight
  }
  return { words: found, score }
}

function wordsAndNumbers(text: string): string[] {
  const plain = withoutPhrases(text.toLowerCase())
  return [...wordsOf(plain), ...(plain.match(/\b[45]\d\d\b|\b2fa\b/g) ?? [])]
}

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
    'how_to',
    STRONG,
    'how where tutorial documentation guide',
    'can what which possible way setup configure explain example does change find use start',
  ),
  category(
    'feedback',
    STRONG,
    'thanks compliment complaint kudos',
    'great love disappointed terrible awesome happy unhappy rude',
  ),
]

function category(name: string, weight: number, strong: string, weak: string): Weighed {
  return {
    name,
    lists: [
      { weight: WEAK, words: weak.split(' ') },
      { weight, words: strong.split(' ') },
    ],
  }
}
