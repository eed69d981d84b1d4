/** Tables in which there is nothing to find: columns of every kind, independent of each other and of time. */
import { type Random, randomOf } from '../random.ts'

export type Cell = string | number | null
export type Row = Record<string, Cell>

/** What a column can be made of. */
const KINDS: Readonly<Record<string, (random: Random, row: number) => Cell>> = {
  normal: ({ normal }) => 100 + 15 * normal(),
  uniform: ({ uniform }) => uniform(),
  exponential: ({ uniform }) => -20 * Math.log(1 - uniform()),
  lognormal: ({ normal }) => Math.exp(3 + normal()),
  heavy: ({ normal }) => normal() / Math.sqrt((normal() ** 2 + normal() ** 2 + normal() ** 2) / 3),
  rounded: ({ normal }) => Math.round(50 + 10 * normal()),
  price: ({ uniform }) => Math.round(10_000 * uniform() ** 3) / 100,
  count: ({ uniform }) => poisson(4, uniform()),
  rare: ({ uniform }) => poisson(0.2, uniform()),
  grade: ({ below }) => 1 + below(5),
  region: ({ below }) => ['north', 'south', 'east', 'west'][below(4)] ?? '',
  product: ({ uniform }) => `product ${Math.floor(20 * uniform() ** 2)}`,
  member: ({ uniform }) => (uniform() < 0.3 ? 'yes' : 'no'),
  code: ({ below }) => `X-${below(1e9).toString(36)}`,
  day: (_, row) => new Date(Date.UTC(2024, 0, 1) + row * 86_400_000).toISOString().slice(0, 10),
  moment: ({ below }) => new Date(Date.UTC(2026, 0, 1) + below(365) * 86_400_000).toISOString(),
}

/** 40 to 2,000 rows of 4 to 14 columns; in some columns values are missing by chance. */
export function noise(seed: number): Row[] {
  const random = randomOf(seed * 7919 + 13)
  const rows = Math.round(40 * 50 ** random.uniform())
  const columns = Array.from({ length: 4 + random.below(11) }, (_, i) => {
    const kinds = Object.keys(KINDS)
    const kind = kinds[random.below(kinds.length)] ?? 'normal'
    return { name: `${kind} ${i + 1}`, make: KINDS[kind], missing: random.uniform() < 0.3 ? 0.3 * random.uniform() : 0 }
  })
  return Array.from({ length: rows }, (_, row) =>
    Object.fromEntries(
      columns.map(({ name, make, missing }) => {
        const cell = make?.(random, row) ?? null
        return [name, random.uniform() < missing ? null : cell]
      }),
    ),
  )
}

/** The same of rows that go on as the ones before them: numbers that return slowly, groups and gaps that last for days. */
export function lastingNoise(seed: number): Row[] {
  const random = randomOf(seed * 6007 + 5)
  const rows = Math.round(60 * 10 ** random.uniform())
  const level = Array.from({ length: 3 }, () => random.normal())
  const group = Array.from({ length: 3 }, () => random.below(3))
  let isMissing = false
  return Array.from({ length: rows }, (_, row) => {
    level.forEach((before, i) => {
      level[i] = 0.85 * before + Math.sqrt(1 - 0.85 ** 2) * random.normal()
    })
    group.forEach((_, i) => {
      if (random.uniform() < 0.1) group[i] = random.below(3)
    })
    if (random.uniform() < 0.1) isMissing = random.uniform() < 0.3
    const numbers = level.map((value, i) => [`level ${i + 1}`, i === 2 && isMissing ? null : 50 + 10 * value])
    const groups = group.map((which, i) => [`group ${i + 1}`, ['red', 'green', 'blue'][which] ?? ''])
    return { day: KINDS.day?.(random, row) ?? null, ...Object.fromEntries([...numbers, ...groups]) }
  })
}

function poisson(mean: number, uniform: number): number {
  let [count, term] = [0, Math.exp(-mean)]
  for (let sum = term; sum < uniform && count < 100; sum += term) term *= mean / ++count
  return count
}
