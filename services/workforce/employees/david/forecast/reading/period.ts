/** The season of values whose times nobody said. */
import { autocorrelations } from '../models/seasonal.ts'

/** The seasons people have: quarters, weekdays, months, four weeks, hours, half-hours, weeks, the hours of a week. */
const USUAL = [4, 5, 7, 12, 13, 24, 48, 52, 96, 168]

/**
 * The usual season after which the values are most like themselves, once their trend is taken away; none where the likeness could
 * be chance, or is not greater than a little before and after.
 */
export function periodOf(values: Float64Array): readonly number[] {
  const n = values.length
  const most = Math.min(Math.floor(n / 3), 200)
  if (most < 4) return []
  const r = autocorrelations(clamped(differenced(values)), most)
  const at = (lag: number) => r[lag] ?? 0
  const strong = USUAL.filter(
    lag =>
      lag <= most &&
      at(lag) > Math.max(0.3, 2.6 / Math.sqrt(n)) &&
      at(lag) > at(lag - 1) &&
      (lag === most || at(lag) > at(lag + 1)),
  )
  const best = Math.max(...strong.map(at))
  // Twice a season is a season too: the shortest that is about as good.
  const found = strong.find(lag => at(lag) > 0.85 * best)
  return found === undefined ? [] : [found]
}

const differenced = (values: Float64Array) => values.subarray(1).map((value, t) => value - (values[t] ?? 0))

/** Cut to what most are like, so that one wild value does not hide the rest. */
function clamped(values: Float64Array): Float64Array {
  const sorted = values.toSorted()
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0
  const [low, high] = [at(0.02), at(0.98)]
  return values.map(value => Math.max(low, Math.min(high, value)))
}
