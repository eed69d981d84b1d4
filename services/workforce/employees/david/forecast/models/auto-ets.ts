/**
 * The form of exponential smoothing with the least corrected Akaike criterion: Hyndman, Koehler, Snyder and Grose, "A state space
 * framework for automatic forecasting using exponential smoothing methods" (2002). As in R's `ets`, an additive error with a
 * multiplicative season is left out: it is numerically unstable.
 */
import { type FittedEts, fitEts } from './ets.ts'
import type { EtsForm } from './ets-recursion.ts'

export function fitBestEts(
  values: Float64Array,
  season: number,
  trends: readonly EtsForm['trend'][],
): FittedEts | undefined {
  const seasons = season > 1 && values.length >= 2 * season + 3 ? (['N', 'A', 'M'] as const) : (['N'] as const)
  let best: FittedEts | undefined
  for (const error of ['A', 'M'] as const)
    for (const trend of trends)
      for (const of of seasons) {
        if (error === 'A' && of === 'M') continue
        const found = fitOnce({ error, trend, season: of }, values, season)
        if (found !== undefined && found.aicc < (best?.aicc ?? Number.POSITIVE_INFINITY)) best = found
      }
  return best
}

/** The damped trend is a candidate by itself and among all forms: of the same values it is estimated once. */
function fitOnce(form: EtsForm, values: Float64Array, season: number): FittedEts | undefined {
  const known = fits.get(values) ?? new Map<string, FittedEts | undefined>()
  fits.set(values, known)
  const name = `${form.error},${form.trend},${form.season},${season}`
  if (!known.has(name)) known.set(name, fitEts(form, values, season))
  return known.get(name)
}

const fits = new WeakMap<Float64Array, Map<string, FittedEts | undefined>>()
