/** A chart: what is plotted, and what comes of it. */
import type { Svg } from '../picture/svg.ts'

export interface ChartInput {
  readonly type?: 'bar' | 'line'
  readonly labels: readonly string[]
  readonly series: readonly { readonly name?: string; readonly values: readonly number[] }[]
  readonly unit?: string
}

export interface Plotted {
  readonly svg: readonly Svg[]
  /** Where in the chart a text is of which not all had room, for example `labels[3]`. */
  readonly cut: readonly string[]
}
