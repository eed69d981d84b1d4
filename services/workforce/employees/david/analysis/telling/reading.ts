/** The analysis as somebody would read it out. */
import { oneLine } from '../../table/foreign-text.ts'
import type { Analysis } from '../result.ts'

export function readingOf({ rows, columns, findings, explained, tests }: Analysis): string {
  const types = [...Map.groupBy(columns, ({ type }) => type)].map(([type, those]) => `${those.length} of type ${type}`)
  const holes = columns.filter(({ missing }) => missing > 0).toSorted((a, b) => b.missing - a.missing)
  return [
    findings.length === 0
      ? noneSaid(tests)
      : `${count(findings.length, 'finding')}${findings.length > 1 ? ', the most important first' : ''}:`,
    ...findings.map(({ statement }, i) => `${i + 1}. ${statement}`),
    ...(explained.length === 0
      ? []
      : [
          'No findings of their own, as something else makes them or most of them:',
          ...explained.map(({ statement }) => `- ${statement}`),
        ]),
    `The table has ${count(rows, 'row')} and ${count(columns.length, 'column')}: ${types.join(', ')}.`,
    holes.length === 0
      ? 'No value is missing.'
      : `Values are missing in ${count(holes.length, 'column')}, most in ${holes
          .slice(0, 3)
          .map(({ name, missing }) => `${oneLine(name)} (${missing.toLocaleString('en-US')})`)
          .join(', ')}.`,
    ...sharesSaid(columns),
    `${count(tests.count, 'test')} ${tests.count === 1 ? 'was' : 'were'} made and corrected for their number by Holm's method: of tables in which there is nothing to find, about ${percent(tests.level)} get a finding.`,
  ].join('\n')
}

/** A column of 0 and 1 alone: how many rows have a 1, and how many a value. */
export interface Flag {
  readonly name: string
  readonly ones: number
  readonly rows: number
  /** Gives `ones` by this name. */
  readonly called: string
  readonly sql: string
}

export function flagsOf(columns: Analysis['columns']): readonly Flag[] {
  return columns.flatMap(({ name, levels }) => {
    const top = levels?.top ?? []
    const place = top.findIndex(({ value }) => value === '1')
    const isFlag = top.length === 2 && place >= 0 && top[1 - place]?.value === '0'
    const rows = top.reduce((sum, { count: of }) => sum + of, 0)
    return isFlag
      ? [{ name, ones: top[place]?.count ?? 0, rows, called: `level_${place}`, sql: levels?.sql ?? '' }]
      : []
  })
}

export const MOST_SHARES = 10

function sharesSaid(columns: Analysis['columns']): string[] {
  const flags = flagsOf(columns)
  if (flags.length === 0) return []
  const said = flags
    .slice(0, MOST_SHARES)
    .map(({ name, ones, rows }) => `${oneLine(name)} in ${ones.toLocaleString('en-US')} of ${count(rows, 'row')}`)
  return [`Of the columns of 0 and 1, these are 1: ${said.join(', ')}${flags.length > MOST_SHARES ? ', …' : ''}.`]
}

export const probability = (p: number) => (p < 0.0001 ? 'below 0.0001' : p.toFixed(4))
export const percent = (share: number) => `${Number((100 * share).toPrecision(4))} %`

const noneSaid = ({ count: tests, level }: Analysis['tests']) =>
  `No finding: none of ${count(tests, 'test')} found anything beyond chance at the level of ${percent(level)}.`

const count = (many: number, what: string) => `${many.toLocaleString('en-US')} ${what}${many === 1 ? '' : 's'}`
