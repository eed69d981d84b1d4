/** What the benchmark says: figures, each beside its limits from the same run. */

export interface Figure {
  readonly section: string
  readonly name: string
  readonly unit: string
  /** One value a round. */
  readonly rounds: readonly number[]
  readonly limits: readonly Limit[]
  /** What the project wants of it: at least, or at most, so much. */
  readonly aim?: { readonly least: number } | { readonly most: number }
  /** Further medians that belong to it, for example `p99_ms` or `server_cpu_us`. */
  readonly details: Readonly<Record<string, number>>
}

export interface Limit {
  readonly name: string
  /** One value a round, measured right after the figure's own; a single one where it is cited. */
  readonly rounds: readonly number[]
  /** Where it comes from, when it was not measured in this run. */
  readonly cited?: string
  /** The least share of the limit that the project wants. */
  readonly leastRatio?: number
  /** The most times the limit that the project allows. */
  readonly mostRatio?: number
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** Figure over limit: the median over the rounds, each round against its own limit, so that slow drift cancels out. */
export function ratio(figure: Figure, limit: Limit): number {
  if (limit.rounds.length !== figure.rounds.length) return median(figure.rounds) / median(limit.rounds)
  return median(figure.rounds.map((value, round) => value / (limit.rounds[round] ?? Number.NaN)))
}

/** Whether it is what the project wants; undefined where nothing is asked of it. */
export function reached(figure: Figure): boolean | undefined {
  const demands: boolean[] = []
  const value = median(figure.rounds)
  if (figure.aim) demands.push('least' in figure.aim ? value >= figure.aim.least : value <= figure.aim.most)
  for (const limit of figure.limits) {
    if (limit.leastRatio !== undefined) demands.push(ratio(figure, limit) >= limit.leastRatio)
    if (limit.mostRatio !== undefined) demands.push(ratio(figure, limit) <= limit.mostRatio)
  }
  return demands.length === 0 ? undefined : demands.every(Boolean)
}

/** The figure as one line of JSON. */
export function jsonLine(figure: Figure): string {
  const { rounds, limits, details, ...rest } = figure
  return JSON.stringify({
    ...rest,
    ...spread(rounds),
    reached: reached(figure),
    limits: limits.map(limit => ({ ...limit, ...spread(limit.rounds), ratio: precise(ratio(figure, limit)) })),
    ...Object.fromEntries(Object.entries(details).map(([name, value]) => [name, precise(value)])),
  })
}

const spread = (rounds: readonly number[]) => ({
  rounds: rounds.map(precise),
  median: precise(median(rounds)),
  min: precise(Math.min(...rounds)),
  max: precise(Math.max(...rounds)),
})

/** Four digits say more than any of these measurements knows. Counts are exact. */
const precise = (value: number) => (Number.isInteger(value) ? value : Number(value.toPrecision(4)))
