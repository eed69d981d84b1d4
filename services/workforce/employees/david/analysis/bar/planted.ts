/** Tables in which one thing is planted, beside columns in which there is nothing. */

import { type Random, randomOf } from '../random.ts'
import type { EffectKind } from '../result.ts'
import type { Row } from './noise.ts'

export interface Planted {
  readonly name: string
  readonly kind: EffectKind
  /** All of them stand in the finding. */
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
}

/** 42 of them: seven kinds, six of each. */
export function planted(): Planted[] {
  return Object.entries(PLANTS).flatMap(([kind, plants]) =>
    plants.map(({ name, columns, rows = 400, plant }, i) => {
      const random = randomOf(1000 * kind.length + 17 * i + 5)
      const made = Array.from({ length: rows }, (_, row) => plain(random, row))
      return { name: `${kind}: ${name}`, kind: kind as EffectKind, columns, rows: plant(made, random) }
    }),
  )
}

const plain = ({ normal, uniform, below }: Random, row: number): Row => ({
  day: new Date(Date.UTC(2025, 0, 1) + row * 86_400_000).toISOString().slice(0, 10),
  region: ['north', 'south', 'east', 'west'][below(4)] ?? '',
  channel: ['shop', 'web', 'phone'][below(3)] ?? '',
  amount: Math.round(10_000 * Math.exp(1 + 0.5 * normal())) / 100,
  age: Math.round(45 + 12 * normal()),
  score: 50 + 10 * normal(),
  rate: uniform(),
})

interface Plant {
  readonly name: string
  readonly columns: readonly string[]
  readonly rows?: number
  readonly plant: (rows: Row[], random: Random) => Row[]
}

const each =
  (change: (row: Row, i: number, random: Random) => Row) =>
  (rows: Row[], random: Random): Row[] =>
    rows.map((row, i) => ({ ...row, ...change(row, i, random) }))
const n = (row: Row, name: string) => Number(row[name])
const some = (share: number, { uniform }: Random) => uniform() < share

const PLANTS: Readonly<Record<EffectKind, readonly Plant[]>> = {
  difference: [
    {
      name: 'a region buys more',
      columns: ['amount', 'region'],
      plant: each(row => (row.region === 'north' ? { amount: 1.5 * n(row, 'amount') } : {})),
    },
    {
      name: 'a channel scores half a deviation less',
      columns: ['score', 'channel'],
      plant: each(row => (row.channel === 'web' ? { score: n(row, 'score') - 7 } : {})),
    },
    {
      name: 'each region has its own level',
      columns: ['rate', 'region'],
      plant: each(row => ({ rate: n(row, 'rate') + 0.15 * String(row.region).length })),
    },
    {
      name: 'in few rows',
      columns: ['age', 'channel'],
      rows: 80,
      plant: each(row => (row.channel === 'shop' ? { age: n(row, 'age') + 14 } : {})),
    },
    {
      name: 'weak, in many rows',
      columns: ['score', 'region'],
      rows: 3000,
      plant: each(row => (row.region === 'east' ? { score: n(row, 'score') + 3.5 } : {})),
    },
    {
      name: 'beside wild values',
      columns: ['amount', 'channel'],
      plant: each((row, i) => ({
        amount: (row.channel === 'phone' ? 2 : 1) * n(row, 'amount') * (i % 50 === 7 ? 30 : 1),
      })),
    },
  ],
  correlation: [
    {
      name: 'strong',
      columns: ['age', 'score'],
      plant: each((row, _, { normal }) => ({ score: n(row, 'age') + 4 * normal() })),
    },
    {
      name: 'moderate',
      columns: ['age', 'rate'],
      plant: each((row, _, { normal }) => ({ rate: 0.02 * n(row, 'age') + 0.5 * normal() })),
    },
    {
      name: 'against each other',
      columns: ['amount', 'score'],
      plant: each((row, _, { normal }) => ({ score: -0.02 * n(row, 'amount') + 4 * normal() })),
    },
    {
      name: 'curved',
      columns: ['age', 'amount'],
      plant: each((row, _, { normal }) => ({ amount: Math.exp(n(row, 'age') / 12 + 0.5 * normal()) })),
    },
    {
      name: 'in few rows',
      columns: ['rate', 'score'],
      rows: 60,
      plant: each((row, _, { normal }) => ({ score: 20 * n(row, 'rate') + 3 * normal() })),
    },
    {
      name: 'with values missing',
      columns: ['age', 'score'],
      plant: each((row, _, random) => ({ score: some(0.3, random) ? null : n(row, 'age') + 12 * random.normal() })),
    },
  ],
  trend: [
    { name: 'rises', columns: ['score', 'day'], plant: each((row, i) => ({ score: n(row, 'score') + 0.05 * i })) },
    {
      name: 'falls',
      columns: ['amount', 'day'],
      plant: each((row, i) => ({ amount: n(row, 'amount') * Math.exp(-i / 400) })),
    },
    {
      name: 'levels off',
      columns: ['rate', 'day'],
      plant: each((row, i) => ({ rate: n(row, 'rate') + Math.log1p(i) / 4 })),
    },
    {
      name: 'with steps',
      columns: ['age', 'day'],
      plant: each((row, i) => ({ age: n(row, 'age') + 6 * Math.floor(i / 100) })),
    },
    {
      name: 'under a wave',
      columns: ['score', 'day'],
      plant: each((row, i) => ({ score: n(row, 'score') + 0.06 * i + 6 * Math.sin(i / 3) })),
    },
    {
      name: 'in few rows',
      columns: ['score', 'day'],
      rows: 60,
      plant: each((row, i) => ({ score: n(row, 'score') + 0.6 * i })),
    },
  ],
  outliers: [
    {
      name: 'a point in the wrong place',
      columns: ['score'],
      plant: each((_, i) => (i === 11 ? { score: 5230 } : {})),
    },
    {
      name: 'three of them',
      columns: ['amount'],
      plant: each((_, i) => (i % 150 === 3 ? { amount: 80_000 + i } : {})),
    },
    { name: 'below', columns: ['age'], plant: each((_, i) => (i === 40 || i === 90 ? { age: -999 } : {})) },
    { name: 'among whole numbers', columns: ['age'], plant: each((_, i) => (i === 77 ? { age: 450 } : {})) },
    { name: 'in a flat column', columns: ['rate'], plant: each((_, i) => (i === 5 || i === 6 ? { rate: 37 } : {})) },
    { name: 'in few rows', columns: ['score'], rows: 60, plant: each((_, i) => (i === 30 ? { score: 9000 } : {})) },
  ],
  missing: [
    {
      name: 'of one region',
      columns: ['amount', 'region'],
      plant: each((row, _, random) => (some(row.region === 'west' ? 0.4 : 0.05, random) ? { amount: null } : {})),
    },
    {
      name: 'for the old',
      columns: ['score', 'age'],
      plant: each((row, _, random) => (some(n(row, 'age') > 55 ? 0.5 : 0.05, random) ? { score: null } : {})),
    },
    {
      name: 'two together',
      columns: ['score', 'rate'],
      plant: each((_, __, random) => (some(0.1, random) ? { score: null, rate: null } : {})),
    },
    {
      name: 'a category',
      columns: ['channel', 'region'],
      plant: each((row, _, random) => (some(row.region === 'south' ? 0.5 : 0.1, random) ? { channel: null } : {})),
    },
    {
      name: 'only in one',
      columns: ['age', 'channel'],
      plant: each((row, _, random) => (row.channel === 'phone' && some(0.3, random) ? { age: null } : {})),
    },
    {
      name: 'where much is paid',
      columns: ['rate', 'amount'],
      plant: each((row, _, random) => (some(n(row, 'amount') > 400 ? 0.6 : 0.1, random) ? { rate: null } : {})),
    },
  ],
  association: [
    {
      name: 'a region calls',
      columns: ['region', 'channel'],
      plant: each((row, _, random) => (row.region === 'north' && some(0.6, random) ? { channel: 'phone' } : {})),
    },
    {
      name: 'one never does',
      columns: ['region', 'channel'],
      plant: each(row => (row.region === 'west' && row.channel === 'web' ? { channel: 'shop' } : {})),
    },
    {
      name: 'one follows',
      columns: ['region', 'team'],
      plant: each((row, _, random) => ({ team: some(0.2, random) ? 'any' : `team ${row.region}` })),
    },
    {
      name: 'in few rows',
      columns: ['channel', 'paid'],
      rows: 80,
      plant: each((row, _, random) => ({ paid: some(row.channel === 'shop' ? 0.9 : 0.2, random) ? 'yes' : 'no' })),
    },
    {
      name: 'weak, in many rows',
      columns: ['region', 'channel'],
      rows: 3000,
      plant: each((row, _, random) => (row.region === 'east' && some(0.25, random) ? { channel: 'web' } : {})),
    },
    {
      name: 'with rare values',
      columns: ['region', 'model'],
      plant: each((row, _, random) => ({
        model: some(0.7, random) ? `m${String(row.region).charCodeAt(0)}` : `r${random.below(12)}`,
      })),
    },
  ],
  duplicates: [
    { name: 'one row twice', columns: [], plant: rows => [...rows, rows[3] ?? {}] },
    { name: 'twenty rows twice', columns: [], plant: rows => [...rows, ...rows.slice(100, 120)] },
    {
      name: 'with numbers of their own',
      columns: [],
      plant: rows => [...rows, ...rows.slice(0, 5)].map((row, i) => ({ id: i + 1, ...row })),
    },
    {
      name: 'one row ten times',
      columns: [],
      plant: rows => [...rows, ...Array.from({ length: 9 }, () => rows[8] ?? {})],
    },
    { name: 'all twice', columns: [], rows: 100, plant: rows => [...rows, ...rows] },
    {
      name: 'with values missing',
      columns: [],
      plant: (rows, random) => {
        const holes = each(() => (some(0.2, random) ? { score: null } : {}))(rows, random)
        return [...holes, ...holes.slice(50, 60)]
      },
    },
  ],
}
