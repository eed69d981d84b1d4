/** Every number of an analysis beside its query. */
import type { Claim } from './proof.ts'
import type { Analysis, Charted, Profile } from './result.ts'

export const claimsOf = ({ findings, explained, columns, duplicates }: Analysis): readonly Claim[] => [
  ...findings,
  ...explained,
  ...findings.flatMap(({ chart }) => (chart ? [claimOf(chart)] : [])),
  { sql: duplicates.sql, values: { repeated: duplicates.rows } },
  ...columns.flatMap(claimsOfColumn),
]

const claimOf = ({ sql, points }: Charted): Claim => ({
  sql,
  values: Object.fromEntries(points.map(({ name, value }) => [name, value ?? 0])),
})

function claimsOfColumn({ sql, missing, distinct, numbers, times, levels }: Profile): readonly Claim[] {
  const counted = (counts: readonly number[], name: string) =>
    Object.fromEntries(counts.map((count, i) => [`${name}_${i}`, count]))
  const { histogram, ...single } = numbers ?? {}
  const known = Object.entries(single).filter((entry): entry is [string, number] => typeof entry[1] === 'number')
  return [
    { sql, values: { missing, distinct, ...Object.fromEntries(known) } },
    ...(times ? [{ sql, values: { from: Date.parse(times.from), to: Date.parse(times.to) } }] : []),
    ...(histogram ? [{ sql: histogram.sql, values: counted(histogram.counts, 'bar') }] : []),
    ...(levels
      ? [
          {
            sql: levels.sql,
            values: counted(
              levels.top.map(({ count }) => count),
              'level',
            ),
          },
        ]
      : []),
  ]
}
