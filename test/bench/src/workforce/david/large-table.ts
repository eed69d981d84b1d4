import { randomOf } from '@millhand/employees/david/analysis/random.ts'

/** CSV of 100,000 rows and 10 columns, as ordinary as can be. */
export function largeTable(): string {
  const { uniform, normal, below } = randomOf(1)
  const row = (i: number) => [
    i,
    new Date(Date.UTC(2026, 0, 1 + below(300))).toISOString().slice(0, 10),
    ['north', 'south', 'east', 'west'][below(4)],
    `customer ${below(5000)}`,
    (100 * Math.exp(normal())).toFixed(2),
    below(20),
    (50 + 10 * normal()).toFixed(3),
    uniform() < 0.1 ? '' : uniform().toFixed(6),
    uniform() < 0.5,
    `"said, ${below(1000)}"`,
  ]
  const header = 'id,day,region,customer,amount,count,score,rate,member,note'
  return [header, ...Array.from({ length: 100_000 }, (_, i) => row(i).join(','))].join('\n')
}
