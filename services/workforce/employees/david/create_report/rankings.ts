/** Which group of the table is said to have the most or the least of something, where no finding says it. */
import { flat, formsOf, stemsOf, wordsIn } from '../../src/claims/words.ts'
import { sentencesOf } from '../../src/text/sentences.ts'
import type { Table } from '../table/columns.ts'

/** The values of the table's categories that a sentence can name. */
export const groupNames = ({ columns }: Table): readonly string[] => [
  ...new Set(
    columns.flatMap(column =>
      column.type === 'category' ? column.levels.map(flat).filter(level => /\p{L}.*\p{L}.*\p{L}/u.test(level)) : [],
    ),
  ),
]

/** A few words for each sentence that ranks a group as no finding does; `statements` are those of the findings. */
export function unfoundedRankings(
  summary: readonly string[],
  groups: readonly string[],
  statements: readonly string[],
): string[] {
  const findings = statements.map(findingOf)
  return summary.flatMap(text =>
    sentencesOf(text).flatMap(({ start, end }) => {
      const sentence = flat(text.slice(start, end))
      const named = namedIn(sentence, groups)
      const [first] = named
      const words = ranking.exec(sentence)
      if (!words || first === undefined) return []
      const isHigh = highest.test(words[0])
      return findings.some(finding => says(finding, sentence, named, isHigh))
        ? []
        : [`no finding says “${words[0]}” of “${first.slice(0, 60)}”`]
    }),
  )
}

interface Ranking {
  readonly column: string
  /** Of which values it holds alone. */
  readonly isOfSome: boolean
  /** Several where they have the same. */
  readonly high: readonly string[]
  readonly low: readonly string[]
}

type Finding = Ranking | { readonly words: string }

function findingOf(statement: string): Finding {
  const [, some, column = '', high = '', low = ''] = ranked.exec(statement) ?? []
  return high === '' || statement.includes(halved)
    ? { words: flat(statement) }
    : { column, isOfSome: some !== undefined, high: namesIn(high), low: namesIn(low) }
}

/** Of `a”, “b” or “c`, each. */
const namesIn = (groups: string): string[] => groups.split(/” or “|”, “/).map(flat)

/** As `analysis/effects/left-of-difference.ts` writes it: what something else makes for the most part is no ranking. */
const halved = 'Less than half of it is left '

/** As `analysis/effects/difference.ts` writes it. */
const ranked =
  /^(Of the values of .* rows, )?(.*) is highest where .* is “(.*)” \([a-z ]+ [^()]*\) and lowest where .* is “(.*)” \([^()]*\)\./s

/** The highest is told of medians: no count follows from it, so “the most orders” needs its own finding. */
function says(finding: Finding, sentence: string, named: readonly string[], isHigh: boolean): boolean {
  if ('words' in finding) return !superlative.test(sentence) && named.every(name => placeOf(finding.words, name) >= 0)
  const { column, isOfSome, high, low } = finding
  const stems = stemsOf(sentence)
  return (
    !counted.test(sentence) &&
    (isHigh ? high : low).includes(named[0] ?? '') &&
    (isHigh ? high : low).every(name => named.includes(name)) &&
    named.every(name => high.includes(name) || low.includes(name)) &&
    (!isOfSome || /\b(?:at least|fewer than) (?:5|five)\b/.test(sentence)) &&
    wordsIn(column).every(word => word.length < 3 || formsOf(word).some(form => stems.has(form)))
  )
}

/** The groups that stand in a sentence, in its order. */
const namedIn = (sentence: string, groups: readonly string[]): string[] =>
  groups
    .map(group => ({ group, at: placeOf(sentence, group) }))
    .filter(({ at }) => at >= 0)
    .toSorted((a, b) => a.at - b.at || b.group.length - a.group.length)
    .filter(
      ({ group, at }, i, all) => !all.some((one, j) => j < i && at < one.at + one.group.length && one.group !== group),
    )
    .map(({ group }) => group)

function placeOf(sentence: string, group: string): number {
  for (let at = sentence.indexOf(group); at >= 0; at = sentence.indexOf(group, at + 1)) {
    const [before, after] = [sentence[at - 1] ?? ' ', sentence[at + group.length] ?? ' ']
    if (![before, after].some(sign => /[\p{L}\p{N}]/u.test(sign))) return at
  }
  return -1
}

const HIGH =
  'most|highest|largest|biggest|greatest|top|tops|leads?|leading|led|best|busiest|strongest|ahead|outperforms?|beats?|exceeds?|more|higher|larger|bigger|greater|dominates?|peaks?|number one|(?:ranks?|comes) first|surpass(?:es)?|outsells?|bulk|majority'
const LOW =
  'least|lowest|smallest|fewest|worst|weakest|bottom|behind|trails?|less|fewer|lower|smaller|(?:ranks?|comes) last'
const whole = (words: string) => new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${words})(?![\p{L}\p{N}])`, 'u')
/** “At least 5 rows”, “more than 100 rows” and “the most important” rank nothing. */
const ranking = new RegExp(
  String.raw`(?<!\bat )(?<![\p{L}\p{N}])(?:${HIGH}|${LOW})(?![\p{L}\p{N}])(?! than \d)(?! than (?:half|five)\b)(?! important\b)`,
  'u',
)
const highest = whole(HIGH)
const superlative = whole(
  'most|highest|largest|biggest|greatest|top|tops|leads?|leading|led|best|busiest|strongest|lowest|smallest|fewest|worst|weakest|bottom|dominates?|peaks?|number one|(?:ranks?|comes) (?:first|last)|bulk|majority',
)
const counted = whole(String.raw`most(?! important\b)|fewest|more|fewer|bulk|majority`)
