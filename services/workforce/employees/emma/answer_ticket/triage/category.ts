/** What a ticket is about. */
import { stemOf, wordsOf } from '../../english.ts'
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

/** A word at the front of its list. */
const STRONG = 2
/** What touches security is that before anything else. */
const GRAVE = 4

/**
 * The category of which the most words stand in the ticket, where a word at the front of its list counts twice; of several, the
 * one that comes first here, since what it says weighs more. `other` where there is none.
 */
const usual: readonly OwnCategory[] = [
  {
    name: 'security',
    words:
      split(`hacked breach vulnerability leaked phishing stolen compromised exploit malware | unauthorized github public
      suspicious attacker security fraud`),
  },
  {
    name: 'outage',
    words:
      split(`outage unavailable unreachable offline blackout 502 503 504 | downtime everybody everyone production nobody
      entire loading timeouts server`),
  },
  {
    name: 'cancellation',
    words: split(
      `unsubscribe terminate cancellation | cancel close subscription account contract membership end leave delete`,
    ),
  },
  {
    name: 'billing',
    words:
      split(`invoice billing refund charged payment invoices vat paypal receipt price pricing cost costs | bill plan pay paid
      money card tax subscription discount upgrade downgrade euro dollar currency expensive`),
  },
  {
    name: 'account',
    words:
      split(`password login username locked 2fa sso | account email access invite user users teammate colleague key credentials permission
      token role profile suspended`),
  },
  {
    name: 'feature_request',
    words: split(
      `suggestion roadmap wish feature wishlist | add support would love great nice integration plan plans option`,
    ),
  },
  {
    name: 'bug',
    words:
      split(`bug crash crashes exception stacktrace broken error errors 500 crashed | fails fail failed wrong unexpected stuck missing
      issue problem suddenly since stopped freezes incorrect`),
  },
  {
    name: 'how_to',
    words:
      split(`how where tutorial documentation guide | can what which possible way setup configure explain example does change
      find use start`),
  },
  {
    name: 'feedback',
    words: split(`thanks compliment complaint kudos | great love disappointed terrible awesome happy unhappy rude`),
  },
]

export function categoryOf(ticket: string, own: readonly OwnCategory[] = []): Category {
  const words = wordsAndNumbers(ticket)
  let best: Category & { readonly score: number } = { name: 'other', words: [], score: 0 }
  for (const category of own.length > 0 ? own : usual) {
    const found = weigh(words, category)
    if (found.score > best.score) best = { name: category.name, ...found }
  }
  return { name: best.name, words: best.words }
}

function weigh(words: readonly string[], { name, words: list }: OwnCategory): { words: string[]; score: number } {
  const bar = list.indexOf('|')
  const strong = new Set(list.slice(0, bar < 0 ? list.length : bar).map(word => stemOf(word.toLowerCase())))
  const weak = new Set(bar < 0 ? [] : list.slice(bar + 1).map(stemOf))
  const found = new Map<string, { word: string; score: number }>()
  for (const word of words) {
    const stem = stemOf(word)
    if (strong.has(stem)) found.set(stem, { word, score: name === 'security' ? GRAVE : STRONG })
    else if (weak.has(stem)) found.set(stem, { word, score: 1 })
  }
  return {
    words: [...found.values()].map(({ word }) => word),
    score: [...found.values()].reduce((sum, { score }) => sum + score, 0),
  }
}

const wordsAndNumbers = (text: string) => {
  const plain = withoutPhrases(text.toLowerCase())
  return [...wordsOf(plain), ...(plain.match(/\b[45]\d\d\b|\b2fa\b/g) ?? [])]
}

function split(words: string): string[] {
  return words.split(/\s+/)
}
