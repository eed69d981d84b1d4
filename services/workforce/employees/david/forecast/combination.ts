/**
 * One forecast from several models: each weighs by how well it did at the rolling origins, and one that did much worse than the
 * best has no say. Combinations were the most accurate of the statistical methods in every M competition: Makridakis,
 * Spiliotis and Assimakopoulos, "The M4 competition: 100,000 time series and 61 forecasting methods" (2020), section 4.
 */
import type { Outlook } from './models/model.ts'
import type { Trial, Tried } from './rolling-origin.ts'

export interface Combination {
  /** In the order of the models tried; they add up to 1, and those that have no say have 0. */
  readonly weights: readonly number[]
  /** What the models' own spread is multiplied with, so that intervals cover what they say. */
  readonly widening: number
  outlook(horizon: number): Outlook
}

/** Weights are errors to this power: the best on the tuning series of test/bench/src/workforce/forecast, flat from -3 to -8. */
const POWER = -4
/** Of the greatest weight: a model that has less has no say. */
const LEAST_WEIGHT = 0.2
/** What intervals are widened by before anything is known, and how many origins that counts as; set on the same series. */
const WIDENING = { before: 1.3, counts: 5 } as const

/** From the trials at the places that are named, all where none are. */
export function combine(tried: readonly Tried[], places = placesOf(tried)): Combination {
  const weights = weightsOf(tried.map(({ trials }) => meanAbsoluteError(places.flatMap(place => trials[place] ?? []))))
  const widening = wideningOf(
    places.map(place => ({ ...trialAt(tried, place), outlook: mixedAt(tried, place, weights, 1) })),
  )
  return {
    weights,
    widening,
    outlook: horizon => mixed(tried, weights, widening, ({ fitted }) => fitted.outlook(horizon)),
  }
}

/** Each trial as it would have been forecast by what the others say: no model gets its weight from what it is judged on. */
export function backTest(tried: readonly Tried[]): readonly Trial[] {
  const places = placesOf(tried)
  return places.map(place => {
    const others = places.length > 1 ? places.filter(other => other !== place) : places
    const { weights, widening } = combine(tried, others)
    return { ...trialAt(tried, place), outlook: mixedAt(tried, place, weights, widening) }
  })
}

/** The mean of the absolute errors over all trials; not a number where there are none. */
export function meanAbsoluteError(trials: readonly Trial[]): number {
  let sum = 0
  let count = 0
  for (const { outlook, actual } of trials) {
    const points = outlook.quantile(0)
    actual.forEach((value, h) => {
      sum += Math.abs(value - (points[h] ?? Number.NaN))
    })
    count += actual.length
  }
  return sum / count
}

const placesOf = (tried: readonly Tried[]): readonly number[] => [...(tried[0]?.trials.keys() ?? [])]

function trialAt(tried: readonly Tried[], place: number): Trial {
  const trial = tried[0]?.trials[place]
  if (trial === undefined) throw new Error(`There is no trial ${place}.`)
  return trial
}

const mixedAt = (tried: readonly Tried[], place: number, weights: readonly number[], widening: number): Outlook =>
  mixed(tried, weights, widening, ({ trials }) => trials[place]?.outlook)

/** The weighted mean of the models' quantiles: Lichtendahl, Grushka-Cockayne and Winkler (2013). */
function mixed(
  tried: readonly Tried[],
  weights: readonly number[],
  widening: number,
  outlookOf: (one: Tried) => Outlook | undefined,
): Outlook {
  const members = tried.flatMap((one, i) => {
    const weight = weights[i] ?? 0
    const outlook = weight > 0 ? outlookOf(one) : undefined
    return outlook ? [{ weight, outlook }] : []
  })
  return {
    quantile: z => {
      const parts = members.map(({ weight, outlook }) => outlook.quantile(z * widening).map(value => weight * value))
      return parts.reduce((sum, part) => sum.map((value, h) => value + (part[h] ?? 0)))
    },
  }
}

function weightsOf(errors: readonly number[]): readonly number[] {
  // Values are about 1 here: what errs by less than this is right.
  const raw = errors.map(error => (Number.isNaN(error) ? 1 : Math.max(error, 1e-9) ** POWER))
  const least = LEAST_WEIGHT * Math.max(...raw)
  const heard = raw.map(weight => (weight >= least ? weight : 0))
  const sum = heard.reduce((total, weight) => total + weight, 0)
  return heard.map(weight => weight / sum)
}

/** The root of the mean square of errors over what the models thought them to be, drawn to what is known beforehand. */
function wideningOf(trials: readonly Trial[]): number {
  let sum = 0
  let count = 0
  for (const { outlook, actual } of trials) {
    const points = outlook.quantile(0)
    const above = outlook.quantile(1)
    const below = outlook.quantile(-1)
    actual.forEach((value, h) => {
      const spread = ((above[h] ?? 0) - (below[h] ?? 0)) / 2
      if (!(spread > 1e-12)) return
      // One wild value does not set the width of all.
      sum += Math.min(16, ((value - (points[h] ?? 0)) / spread) ** 2)
      count++
    })
  }
  const { before, counts } = WIDENING
  const origins = count === 0 ? 0 : trials.length
  return Math.sqrt((counts * before ** 2 + origins * (count === 0 ? 0 : sum / count)) / (counts + origins))
}
