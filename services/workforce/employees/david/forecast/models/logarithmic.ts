/** A model of the logarithms: growth in per cent, and errors that grow with the values. Of positive values alone. */
import type { Fitted } from './model.ts'

/** A step of the model is not taken further than this many times the greatest value seen, or its inverse the least. */
const REACH = Math.log(1e3)

export function logarithmic(
  values: Float64Array,
  fit: (logarithms: Float64Array) => Fitted | undefined,
): Fitted | undefined {
  if (!values.every(value => value > 0)) return undefined
  const fitted = fit(values.map(Math.log))
  return fitted && exponential(fitted, values)
}

function exponential(fitted: Fitted, values: Float64Array): Fitted {
  const logarithms = values.map(Math.log)
  const most = logarithms.reduce((a, b) => Math.max(a, b)) + REACH
  const least = logarithms.reduce((a, b) => Math.min(a, b)) - REACH
  return {
    form: `log ${fitted.form}`,
    parameters: fitted.parameters,
    outlook: horizon => {
      const outlook = fitted.outlook(horizon)
      return { quantile: z => outlook.quantile(z).map(value => Math.exp(Math.max(least, Math.min(most, value)))) }
    },
    again: other => {
      const again = fitted.again(other.map(Math.log))
      return again && exponential(again, other)
    },
  }
}
