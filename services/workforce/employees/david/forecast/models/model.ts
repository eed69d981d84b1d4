/** What a model of a series is. */

/** What a model says of the steps that follow, the next one first. */
export interface Outlook {
  /**
   * The value of each step below which it falls with the probability that the standard normal distribution has below `z`:
   * 0 gives the points, -1.96 and 1.96 the ends of the 95 % interval.
   */
  quantile(z: number): Float64Array
}

/** A model whose parameters have been estimated on a series. */
export interface Fitted {
  /** As the field writes it, for example `ETS(A,Ad,N)`. */
  readonly form: string
  readonly parameters: Readonly<Record<string, number>>
  outlook(horizon: number): Outlook
  /** The same form estimated again on other values, beginning at this one's parameters; undefined where it can't be had of them. */
  again(values: Float64Array): Fitted | undefined
}

/** Points with errors of these standard deviations. */
export const normal = (points: Float64Array, spread: Float64Array): Outlook => ({
  quantile: z => points.map((point, h) => point + z * spread[h]!),
})
