/** What a report says of an analysis: every number of it is noted with its query. */
import { said } from '../analysis/effects/effect.ts'
import { timeSaid } from '../analysis/profile.ts'
import type { Analysis, Charted, Finding, Histogram } from '../analysis/result.ts'
import type { Picture } from '../analysis/telling/charts.ts'
import { flagsOf, MOST_SHARES, percent, probability } from '../analysis/telling/reading.ts'
import { identifier } from '../table/database.ts'
import { oneLine } from '../table/foreign-text.ts'
import type { Block, Quoted, Report, Section } from './document.ts'

export interface Contents {
  readonly report: Report
  readonly numbers: readonly Quoted[]
}

/** Pairs of columns that are listed. */
export const MOST_PAIRS = 15

export function contentsOf(
  title: string,
  analysis: Analysis,
  pictures: readonly Picture[],
  warnings: readonly string[],
  words: readonly string[] = [],
): Contents {
  const numbers: Quoted[] = []
  const quote: Quote = (value, name, sql, write = said) => {
    const shown = write(value)
    numbers.push({ shown, name, value, sql })
    return shown
  }
  const sections: Section[] = [
    { heading: 'Conclusions', blocks: [...paragraphs(words), ...conclusions(analysis, quote)] },
    { heading: 'Findings', blocks: findings(analysis, pictures) },
    ...apparent(analysis),
    { heading: 'The columns', blocks: columns(analysis, pictures, quote) },
    ...relations(analysis, quote),
    { heading: 'Method', blocks: method(analysis) },
    { heading: 'Limits', blocks: [{ kind: 'list', items: [...warnings.map(oneLine), ...LIMITS] }] },
    { heading: 'Appendix: numbers and queries', blocks: appendix(analysis, pictures, quote) },
  ]
  const subtitle = `${said(analysis.rows)} rows, ${said(analysis.columns.length)} columns`
  return { report: { title, subtitle, sections }, numbers }
}

const paragraphs = (words: readonly string[]): Block[] => words.map(text => ({ kind: 'paragraph', text }))

type Quote = (value: number, name: string, sql: string, write?: (value: number) => string) => string

/** Statements that the conclusions have; the rest stands among the findings. */
const MOST_CONCLUSIONS = 6

function conclusions({ rows, findings: all, columns: profiles, duplicates, tests }: Analysis, quote: Quote): Block[] {
  const shownRows = quote(rows, 'rows', 'SELECT count(*) AS "rows" FROM data')
  const holes = profiles.map(({ name }) => `CASE WHEN count(${identifier(name)}) < count(*) THEN 1 ELSE 0 END`)
  const missing = profiles.filter(one => one.missing > 0).length
  const shownMissing = quote(missing, 'columns', `SELECT ${holes.join(' + ')} AS "columns" FROM data`)
  const shownColumns = quote(
    profiles.length,
    'columns',
    `SELECT count(*) AS "columns" FROM information_schema.columns WHERE table_name = 'data'`,
  )
  const more = all.length - MOST_CONCLUSIONS
  return [
    all.length === 0
      ? { kind: 'paragraph', text: `Nothing stands out from chance at the level of ${percent(tests.level)}.` }
      : { kind: 'list', items: all.slice(0, MOST_CONCLUSIONS).map(({ statement }) => statement) },
    ...(more > 0 ? paragraphs([`${more === 1 ? 'One more is' : `${said(more)} more are`} among the findings.`]) : []),
    {
      kind: 'paragraph',
      text: `The table has ${shownRows} rows. Values are missing in ${shownMissing} of its ${shownColumns} columns; ${quote(duplicates.rows, 'repeated', duplicates.sql)} rows repeat an earlier one.`,
    },
    ...shares(profiles, quote),
  ]
}

/** One paragraph on the columns of 0 and 1. */
function shares(profiles: Analysis['columns'], quote: Quote): Block[] {
  const those = flagsOf(profiles)
    .slice(0, MOST_SHARES)
    .map(
      ({ name, ones, rows, called, sql }) =>
        `${oneLine(name)} is 1 in ${quote(ones, called, sql)} of ${said(rows)} rows`,
    )
  return those.length === 0 ? [] : paragraphs([`${those.join('; ')}.`])
}

const headingOf = ({ kind, columns }: Finding, i: number) =>
  `${i + 1}. ${KINDS[kind]}: ${columns.slice(0, 4).map(oneLine).join(', ')}`

function findings({ findings: all }: Analysis, pictures: readonly Picture[]): Block[] {
  if (all.length === 0) return [{ kind: 'paragraph', text: 'There are none.' }]
  return all.flatMap((finding, i): Block[] => [
    { kind: 'heading', text: headingOf(finding, i) },
    { kind: 'paragraph', text: finding.statement },
    ...pictureOf(finding.id, finding.statement, pictures),
  ])
}

/** Links that something else makes. */
const apparent = ({ explained }: Analysis): Section[] =>
  explained.length === 0
    ? []
    : [
        {
          heading: 'Links that something else makes, or most of them',
          blocks: [{ kind: 'list', items: explained.map(({ statement }) => statement) }],
        },
      ]

function appendix(
  { findings: all, explained, columns: profiles }: Analysis,
  pictures: readonly Picture[],
  quote: Quote,
): Block[] {
  return [
    { kind: 'paragraph', text: 'Each query gives one row, and is on the table data.' },
    ...all.flatMap((finding, i): Block[] => [
      { kind: 'heading', text: headingOf(finding, i) },
      ...valuesOf(finding, quote),
      {
        kind: 'paragraph',
        text: `Test: ${finding.test.name}; probability ${probability(finding.test.p_adjusted)} after correction. ${strengthSaid(finding)}`.trim(),
      },
      { kind: 'query', text: finding.sql },
      ...(finding.chart && finding.chart.sql !== finding.sql ? shownBy(finding.chart, quote) : []),
    ]),
    ...explained.flatMap((one): Block[] => [
      { kind: 'heading', text: `Made by ${oneLine(one.by)}: ${one.columns.map(oneLine).join(', ')}` },
      ...valuesOf(one, quote),
      { kind: 'query', text: one.sql },
    ]),
    ...profiles.flatMap(({ name, numbers }): Block[] =>
      numbers && pictureOf(name, '', pictures).length > 0
        ? [{ kind: 'heading', text: `Histogram: ${oneLine(name)}` }, ...countsIn(numbers.histogram, quote)]
        : [],
    ),
  ]
}

const valuesOf = ({ values, sql }: Pick<Finding, 'values' | 'sql'>, quote: Quote): Block[] => [
  {
    kind: 'table',
    header: ['measure', 'value'],
    rows: Object.entries(values).map(([name, value]) => [name.replaceAll('_', ' '), quote(value, name, sql)]),
  },
]

/** What a picture shows, in numbers, where those are not the finding's own. */
const shownBy = ({ title, unit, sql, points }: Charted, quote: Quote): Block[] => [
  {
    kind: 'paragraph',
    text: `Shown are ${title}${unit && `, ${unit}`}: ${points.map(({ label, name, value }) => `${label} ${value === null ? 'none' : quote(value, name, sql)}`).join('; ')}. Their query:`,
  },
  { kind: 'query', text: sql },
]

const countsIn = ({ sql, from, width, counts }: Histogram, quote: Quote): Block[] => [
  {
    kind: 'paragraph',
    text: `Shown are the rows in ${counts.length === 1 ? 'one bar' : `${said(counts.length)} bars, each ${said(width)} wide`}, from ${said(from)}: ${counts.map((count, i) => quote(count, `bar_${i}`, sql)).join('; ')}. Their query:`,
  },
  { kind: 'query', text: sql },
]

const strengthSaid = ({ kind, strength }: Finding) =>
  kind === 'duplicates' || kind === 'outliers' ? '' : `Strength ${strength.value.toFixed(2)} (${strength.measure}). `

const KINDS: Readonly<Record<Finding['kind'], string>> = {
  duplicates: 'Repeated rows',
  outliers: 'Outliers',
  missing: 'Values missing by a pattern',
  difference: 'Difference between groups',
  correlation: 'Correlation',
  association: 'Categories that go together',
  trend: 'Trend',
}

const pictureOf = (of: string, alternative: string, pictures: readonly Picture[]): Block[] =>
  pictures
    .filter(picture => picture.of === of)
    .map(({ name, svg }) => ({ kind: 'picture', file: name, svg, alternative }))

function columns({ columns: profiles }: Analysis, pictures: readonly Picture[], quote: Quote): Block[] {
  const ofNumbers = profiles.filter(({ numbers }) => numbers !== undefined)
  const inLevels = profiles.filter(({ levels }) => levels !== undefined)
  const times = profiles.filter(one => one.times !== undefined)
  return [
    {
      kind: 'table',
      header: ['column', 'holds', 'missing', 'different'],
      rows: profiles.map(({ name, type, missing, distinct, sql }) => [
        oneLine(name),
        type,
        quote(missing, 'missing', sql),
        quote(distinct, 'distinct', sql),
      ]),
    },
    ...table(['numbers', ...NUMBERS.map(name => name.replaceAll('_', ' '))], ofNumbers, ({ name, numbers, sql }) => [
      oneLine(name),
      ...NUMBERS.map(one => (typeof numbers?.[one] === 'number' ? quote(numbers[one], one, sql) : '')),
    ]),
    ...table(['times', 'from', 'to'], times, ({ name, times: span, sql }) => [
      oneLine(name),
      ...(span
        ? [quote(Date.parse(span.from), 'from', sql, timeSaid), quote(Date.parse(span.to), 'to', sql, timeSaid)]
        : []),
    ]),
    ...table(['category', 'most frequent, with rows'], inLevels, ({ name, levels }) => [
      oneLine(name),
      (levels?.top ?? [])
        .slice(0, 6)
        .map(({ value, count }, i) => `${value.slice(0, 40)} (${quote(count, `level_${i}`, levels?.sql ?? '')})`)
        .join(', '),
    ]),
    ...profiles.flatMap(({ name }) => pictureOf(name, `How often each value of ${oneLine(name)} occurs.`, pictures)),
  ]
}

const NUMBERS = ['least', 'quartile_1', 'median', 'quartile_3', 'most', 'mean', 'standard_deviation', 'far'] as const

function table<T>(header: readonly string[], of: readonly T[], row: (one: T) => readonly string[]): Block[] {
  return of.length === 0 ? [] : [{ kind: 'table', header, rows: of.map(row) }]
}

function relations({ correlations }: Analysis, quote: Quote): Section[] {
  if (correlations.length === 0) return []
  const rows = correlations
    .slice(0, MOST_PAIRS)
    .map(({ columns: [a = '', b = ''], rows: both, spearman, pearson, sql = '', p_adjusted: p }) => [
      oneLine(a),
      oneLine(b),
      quote(spearman, 'spearman', sql),
      quote(pearson, 'pearson', sql),
      quote(both, 'rows', sql),
      probability(p),
    ])
  return [
    {
      heading: 'Pairs of numeric columns',
      blocks: [
        { kind: 'paragraph', text: 'The strongest pairs, whether they stand out from chance or not.' },
        { kind: 'table', header: ['column', 'and column', 'ranks', 'values', 'rows', 'probability'], rows },
      ],
    },
  ]
}

function method({ tests }: Analysis): Block[] {
  return [
    {
      kind: 'paragraph',
      text: `Every number of the table above stands in the row of a query on it, run by DuckDB. Probabilities and strengths have none: they are computed from ranks, by the tests below. Probabilities are corrected for ${said(tests.count)} tests by Holm's method: of tables in which there is nothing to find, about ${percent(tests.level)} get a finding. Effects weaker than ${tests.least_strength} are not reported.`,
    },
    {
      kind: 'table',
      header: ['finding', 'test'],
      rows: [
        ['correlation', "Spearman's rank correlation"],
        ['difference between groups', 'Kruskal and Wallis'],
        ['categories that go together', "chi-squared, Fisher's exact test where rows are few"],
        ['values missing by a pattern', 'the same two, of rows with and without the value'],
        ['trend', 'rank correlation of the means of each moment with time'],
        ['outliers', 'gaps in the tail, at least 5 median absolute deviations out'],
        ['repeated rows', 'pairs of equal rows against independent columns, Poisson'],
      ],
    },
  ]
}

const LIMITS = [
  'Values of a category with fewer than 5 rows are no groups to compare, nor are texts of which most differ.',
  'Things that go together need not cause each other.',
  'Rows are taken to be independent of each other, except for their order in time where there is a column of times.',
  'Effects in a few rows only, or of a kind that no test looks for, are not found.',
]
