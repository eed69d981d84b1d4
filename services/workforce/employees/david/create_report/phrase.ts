/** The summary of a report in the words of a language model; the numbers, tables and queries are those of the rules. */
import { beyond } from '../../src/claims/phrased.ts'
import type { Phrase } from '../../src/kind.ts'
import { BadAnswer } from '../../src/run-rules.ts'
import { said } from '../analysis/effects/effect.ts'
import type { Profile } from '../analysis/result.ts'
import { readingOf } from '../analysis/telling/reading.ts'
import { oneLine } from '../table/foreign-text.ts'
import { type ReportInput, type ReportResult, reportOf, studied } from './engine.ts'
import { unfoundedRankings } from './rankings.ts'

interface Words {
  readonly summary: readonly string[]
}

const MOST_COLUMNS = 50

export const phrase: Phrase<ReportInput, ReportResult, Words> = async brief => {
  const { topic, tone, audience, language, constraints } = brief
  const study = await studied(brief)
  const { title, analysis } = study
  const findings = analysis.findings.map(({ statement }) => statement)
  const columns = analysis.columns.slice(0, MOST_COLUMNS).map(shownOf)
  return {
    shown: { title, topic, tone, audience, language, constraints, analysis: readingOf(analysis), columns },
    async answerWith({ summary }) {
      const words = summary.map(oneLine)
      const facts = [title, topic, readingOf(analysis), ...columns.map(column => Object.values(column).join('\n'))]
      const faults = [
        ...unfaithful(words, [...facts, ...findings]),
        ...unfoundedRankings(words, study.groups, findings),
      ]
      if (faults.length > 0) throw new BadAnswer(faults.join('; '))
      const { warnings = [], ...answer } = await reportOf(study, words)
      const isEnglish = language === undefined || /^en\b/i.test(language)
      return {
        ...answer,
        warnings: [
          ...warnings,
          ...(isEnglish
            ? []
            : ['Only the summary is in the language asked for; the rest of the report is in English.']),
        ],
      }
    },
  }
}

/** What of a summary nothing that is known says: no table tells a cause, the future or what to do. */
export function unfaithful(summary: readonly string[], known: readonly string[]): string[] {
  return beyond({ text: summary.join('\n'), from: known.join('\n'), isOfTable: true })
}

/** No row of the table. */
function shownOf({ name, type, missing, distinct, numbers, times }: Profile): Readonly<Record<string, string>> {
  return {
    column: oneLine(name).slice(0, 100),
    type,
    missing: said(missing),
    different: said(distinct),
    ...(numbers && {
      least: said(numbers.least),
      median: said(numbers.median),
      mean: said(numbers.mean),
      most: said(numbers.most),
    }),
    ...(times && { from: times.from, to: times.to }),
  }
}
