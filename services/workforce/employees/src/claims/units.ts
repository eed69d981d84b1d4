/** Units of figures: dimensions, and factors to the base of each. */

export const unitOf = (text: string) => units.find(([pattern]) => pattern.test(text))

/** A word that limits the unit may stand before it: “30 calendar days”. */
export const unitBehind = (text: string) =>
  unitOf(
    text.replace(
      /^(?:full|whole|more|further|extra|additional|calendar|consecutive|short|long|\p{L}{3,12}ing(?= days?))[ -]/u,
      '',
    ),
  )

/** Dimensions of units that stand in a text without a figure. */
export const headingsIn = (text: string): string[] =>
  [...text.toLowerCase().matchAll(unitWord)].flatMap(({ 0: unit }) => unitOf(unit)?.[1] ?? [])

const unitWord =
  /(?<![\p{L}\d]|\d[ -])(?:%|€|£|\$|percent|share|euros?|eur|pounds?|dollars?|usd|gbp|chf|seconds?|minutes?|hours?|days?|weeks?|months?|years?|kg|grams?|km|cm|mm|met(?:re|er)s?|litres?|liters?)(?![\p{L}\d])/gu

export const isCurrency = (dimension: string | undefined): boolean => currencies.has(dimension ?? '')

const currencies: ReadonlySet<string> = new Set(['eur', 'gbp', 'usd', 'chf'])

const units: readonly (readonly [RegExp, string, number])[] = [
  [/^times (?:as|more|less|the|bigger|larger|faster)(?!\p{L})/u, 'times', 1],
  [/^(?:%|per ?cent|percent)/, 'share', 1],
  [/^(?:€|euros?|eur)(?!\p{L})/u, 'eur', 1],
  [/^(?:£|pounds?|gbp|quid)(?!\p{L})/u, 'gbp', 1],
  [/^(?:\$|dollars?|usd|bucks)(?!\p{L})/u, 'usd', 1],
  [/^(?:chf|francs?)(?!\p{L})/u, 'chf', 1],
  [/^(?:cents?|pence)(?!\p{L})/u, 'cent', 1],
  [/^seconds?(?!\p{L})/u, 'time', 1 / 60],
  [/^min(?:ute)?s?(?!\p{L})/u, 'time', 1],
  [/^(?:hours?|hrs?|h)(?!\p{L})/u, 'time', 60],
  [/^(?:working|business|work) days?(?!\p{L})/u, 'workday', 1],
  [/^days?(?!\p{L})/u, 'time', 1_440],
  [/^weeks?(?!\p{L})/u, 'time', 10_080],
  [/^months?(?!\p{L})/u, 'month', 1],
  [/^(?:years?|yrs?)(?!\p{L})/u, 'month', 12],
  [/^decades?(?!\p{L})/u, 'month', 120],
  [/^(?:kg|kilos?|kilograms?)(?!\p{L})/u, 'mass', 1_000],
  [/^lbs?(?!\p{L})/u, 'mass', 453.592],
  [/^(?:g|grams?)(?!\p{L})/u, 'mass', 1],
  [/^(?:km|kilomet(?:re|er)s?)(?!\p{L})/u, 'length', 1_000_000],
  [/^(?:cm|centimet(?:re|er)s?)(?!\p{L})/u, 'length', 10],
  [/^(?:mm|millimet(?:re|er)s?)(?!\p{L})/u, 'length', 1],
  [/^(?:m|met(?:re|er)s?)(?!\p{L})/u, 'length', 1_000],
  [/^(?:litres?|liters?|l)(?!\p{L})/u, 'volume', 1_000],
  [/^(?:ml|millilit(?:re|er)s?)(?!\p{L})/u, 'volume', 1],
]
