/** What is found in a table, as the output schemas have it. */

export interface Analysis {
  readonly rows: number
  readonly columns: readonly Profile[]
  readonly duplicates: { readonly rows: number; readonly sql: string }
  readonly findings: readonly Finding[]
  /** Correlations, associations and differences that are significant, and made by a category or by the time. */
  readonly explained: readonly Explained[]
  /** The strongest, whether found or not. */
  readonly correlations: readonly PairOfNumbers[]
  readonly associations: readonly PairOfGroups[]
  readonly group_differences: readonly NumberInGroups[]
  readonly tests: Tests
}

export interface Profile {
  readonly name: string
  readonly type: 'number' | 'time' | 'category' | 'text'
  /** The query whose row has the numbers below. */
  readonly sql: string
  readonly missing: number
  readonly distinct: number
  readonly numbers?: Numbers
  readonly times?: { readonly from: string; readonly to: string }
  /** The most frequent values. */
  readonly levels?: {
    readonly sql: string
    readonly top: readonly { readonly value: string; readonly count: number }[]
  }
}

export interface Numbers {
  readonly mean: number
  readonly standard_deviation: number | null
  readonly least: number
  readonly quartile_1: number
  readonly median: number
  readonly quartile_3: number
  readonly most: number
  /** Further than 3.5 deviations from the median (Iglewicz and Hoaglin 1993); null where more than half of the values are the same. */
  readonly far: number | null
  readonly histogram: Histogram
}

export interface Histogram {
  readonly sql: string
  readonly from: number
  readonly width: number
  readonly counts: readonly number[]
}

export type EffectKind = 'duplicates' | 'outliers' | 'missing' | 'difference' | 'correlation' | 'association' | 'trend'

export interface Finding {
  readonly id: string
  readonly kind: EffectKind
  readonly columns: readonly string[]
  readonly statement: string
  readonly sql: string
  /** The first number of the query's row. */
  readonly value: number
  readonly values: Readonly<Record<string, number>>
  readonly strength: { readonly measure: string; readonly value: number }
  readonly test: { readonly name: string; readonly p: number; readonly p_adjusted: number }
  /** Not of one whose chart shows rows themselves. */
  readonly chart?: Charted
}

export interface Explained {
  readonly columns: readonly string[]
  /** The column that explains it. */
  readonly by: string
  readonly statement: string
  readonly sql: string
  readonly values: Readonly<Record<string, number>>
}

/** So many findings have a chart. */
export const MOST_CHARTS = 8

/** What a chart shows: each number is one of the row that the query gives. */
export interface Charted {
  readonly title: string
  /** Of the values; empty where nobody knows it. */
  readonly unit: string
  readonly sql: string
  readonly points: readonly {
    readonly label: string
    /** What the query calls it. */
    readonly name: string
    /** Null where there is none. */
    readonly value: number | null
  }[]
}

interface Pair {
  readonly columns: readonly string[]
  readonly rows: number
  readonly p_adjusted: number
}

export interface PairOfNumbers extends Pair {
  readonly pearson: number
  readonly spearman: number
  /** The query that gives them, where one was asked. */
  readonly sql?: string
}

export interface PairOfGroups extends Pair {
  readonly cramers_v: number
}

export interface NumberInGroups extends Pair {
  /** Root of epsilon squared, of ranks. */
  readonly epsilon: number
}

export interface Tests {
  /** The chance that even one finding is made where there is nothing to find. */
  readonly level: number
  readonly count: number
  readonly correction: string
  readonly least_strength: number
  /** Significant, but less than the least strength, or more than are told. */
  readonly untold: number
}
