/** The analysis as somebody would read it out. */
import type { Analysis } from '../result.ts'

export function readingOf({ rows, columns, findings, explained, tests, duplicates }: Analysis): string {
  const types = [...Map.groupBy(columns, ({ type }) => type)].map(([type, those]) => `${those.length} of type ${type}`)
  const holes = columns.filter(({ missing }) => missing > 0).toSorted((a, b) => b.missing - a.missing)
  return [
    findings.length === 0 ? noneSaid(tests) : `${count(findings.length, 'finding')}, the most important first:`,
    ...findings.map(({ statement }, i) => `${i + 1}. ${statement}`),
    ...(explained.length === 0
      ? []
      : ['No findings, as something else makes them:', ...explained.map(({ statement }) => `- ${statement}`)]),
    `The table has ${count(rows, 'row')} and ${count(columns.length, 'column')}: ${types.join(', ')}.`,
    holes.length === 0
      ? 'No value is missing.'
      : `Values are missing in ${count(holes.length, 'column')}, most in ${holes
          .slice(0, 3)
          .map(({ name, missing }) => `${name} (${missing})`)
          .join(', ')}.`,
    ...(duplicates.rows > 0 ? [`${count(duplicates.rows, 'row')} repeated.`] : []),
    `${count(tests.count, 'test')} were made and corrected for their number by Holm's method: of tables in which there is nothing to find, about ${percent(tests.level)} get a finding.`,
  ].join('\n')
}

export const probability = (p: number) => (p < 0.0001 ? 'below 0.0001' : p.toFixed(4))
export const percent = (share: number) => `${Number((100 * share).toPrecision(4))} %`

const noneSaid = ({ count: tests, level }: Analysis['tests']) =>
  `No finding: none of ${count(tests, 'test')} found anything beyond chance at the level of ${percent(level)}.`

const count = (many: number, what: string) => `${many.toLocaleString('en-US')} ${what}${many === 1 ? '' : 's'}`
