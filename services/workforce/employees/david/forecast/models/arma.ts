/**
 * Autoregressive moving averages: w_t = phi_1 w_{t-1} + … + e_t + theta_1 e_{t-1} + …, with the exact Gaussian likelihood.
 * The formulas are those of Brockwell and Davis, "Time Series: Theory and Methods" (1991).
 */
export interface Arma {
  /** phi_1, phi_2 … */
  readonly ar: Float64Array
  /** theta_1, theta_2 … */
  readonly ma: Float64Array
}

export interface Innovations {
  /** Twice the negative logarithm of the likelihood, with the variance at its best, but for a constant. */
  readonly cost: number
  /** Of an innovation. */
  readonly variance: number
  readonly errors: Float64Array
}

/**
 * What each value brings that those before did not foretell: the Durbin-Levinson recursion (section 5.2) on the exact
 * autocovariances until the variance of the innovations has settled, from there on the recursion of the model itself.
 * Undefined where the model is numerically not stationary.
 */
export function innovations(model: Arma, values: Float64Array): Innovations | undefined {
  const { ar, ma } = model
  const n = values.length
  const covariances = autocovariances(model, n)
  if (covariances === undefined) return undefined
  const errors = new Float64Array(n)
  const order = Math.max(ar.length, ma.length)
  let phi = new Float64Array(n)
  let last = new Float64Array(n)
  let variance = covariances[0]!
  let squares = 0
  let logs = 0
  let t = 0
  for (; t < n; t++) {
    if (t >= order && variance < 1 + 1e-6) break
    if (t > 0) {
      let sum = covariances[t]!
      for (let j = 1; j < t; j++) sum -= last[j]! * covariances[t - j]!
      const partial = sum / variance
      phi[t] = partial
      for (let j = 1; j < t; j++) phi[j] = last[j]! - partial * last[t - j]!
      variance *= 1 - partial * partial
      ;[phi, last] = [last, phi]
    }
    if (!(variance > 0)) return undefined
    let expected = 0
    for (let j = 1; j <= t; j++) expected += last[j]! * values[t - j]!
    const error = values[t]! - expected
    errors[t] = error
    squares += (error * error) / variance
    logs += Math.log(variance)
  }
  const arLags = lags(ar)
  const maLags = lags(ma)
  for (; t < n; t++) {
    let expected = 0
    for (const lag of arLags) expected += ar[lag - 1]! * values[t - lag]!
    for (const lag of maLags) expected += ma[lag - 1]! * errors[t - lag]!
    const error = values[t]! - expected
    errors[t] = error
    squares += error * error
  }
  return { cost: n * Math.log(squares / n) + logs, variance: squares / n, errors }
}

/**
 * The same in one pass, which takes the errors before and at the first `given` values as nothing: conditional least squares
 * (Box, Jenkins, Reinsel and Ljung, section 7.1.2). The cost is that of the values after those, brought to all of them. `errors` is
 * written over: nothing stands at its first `given` places.
 */
export function conditional(
  { ar, ma }: Arma,
  values: Float64Array,
  given: number,
  errors = new Float64Array(values.length),
): Innovations | undefined {
  const n = values.length
  let squares = 0
  const arLags = Int32Array.from(lags(ar))
  const maLags = Int32Array.from(lags(ma))
  for (let t = given; t < n; t++) {
    let error = values[t]!
    for (let i = 0; i < arLags.length; i++) {
      const lag = arLags[i]!
      error -= ar[lag - 1]! * values[t - lag]!
    }
    for (let i = 0; i < maLags.length; i++) {
      const lag = maLags[i]!
      if (lag > t) break
      error -= ma[lag - 1]! * errors[t - lag]!
    }
    errors[t] = error
    squares += error * error
  }
  const variance = squares / (n - given)
  return Number.isFinite(variance) ? { cost: n * Math.log(variance), variance, errors } : undefined
}

/** Those that count: a seasonal model has few among many. */
function lags(coefficients: Float64Array): readonly number[] {
  const found: number[] = []
  for (let i = 0; i < coefficients.length; i++) if (coefficients[i] !== 0) found.push(i + 1)
  return found
}

/** gamma_0 … gamma_{count-1} for innovations of variance 1: section 3.3, the second method. */
function autocovariances({ ar, ma }: Arma, count: number): Float64Array | undefined {
  const p = ar.length
  const q = ma.length
  const psi = psiWeights({ ar, ma }, q + 1)
  /** The right hand sides: sum over j >= k of theta_j psi_{j-k}. */
  const right = new Float64Array(Math.max(p, q) + 1)
  for (let k = 0; k <= q; k++) {
    let sum = 0
    for (let j = k; j <= q; j++) sum += (j === 0 ? 1 : ma[j - 1]!) * psi[j - k]!
    right[k] = sum
  }
  const found = new Float64Array(Math.max(count, p + 1))
  const first = solveCovariances(ar, right)
  if (first === undefined || !(first[0]! > 0)) return undefined
  found.set(first)
  const arLags = lags(ar)
  for (let k = p + 1; k < found.length; k++) {
    let sum = k <= q ? right[k]! : 0
    for (const lag of arLags) sum += ar[lag - 1]! * found[k - lag]!
    found[k] = sum
  }
  return found
}

/** gamma_0 … gamma_p from gamma_k - phi_1 gamma_{k-1} - … = right_k, by elimination with pivots. */
function solveCovariances(ar: Float64Array, right: Float64Array): Float64Array | undefined {
  const size = ar.length + 1
  const rows = Array.from({ length: size }, (_, k) => {
    const row = new Float64Array(size + 1)
    row[k] = 1
    for (let i = 1; i < size; i++) row[Math.abs(k - i)] = row[Math.abs(k - i)]! - ar[i - 1]!
    row[size] = right[k] ?? 0
    return row
  })
  for (let column = 0; column < size; column++) {
    let pivot = column
    for (let row = column + 1; row < size; row++)
      if (Math.abs(rows[row]![column]!) > Math.abs(rows[pivot]![column]!)) pivot = row
    const held = rows[pivot]!
    rows[pivot] = rows[column]!
    rows[column] = held
    if (Math.abs(held[column]!) < 1e-12) return undefined
    for (let row = column + 1; row < size; row++) {
      const target = rows[row]!
      const factor = target[column]! / held[column]!
      if (factor !== 0) for (let j = column; j <= size; j++) target[j] = target[j]! - factor * held[j]!
    }
  }
  const found = new Float64Array(size)
  for (let row = size - 1; row >= 0; row--) {
    let sum = rows[row]![size]!
    for (let j = row + 1; j < size; j++) sum -= rows[row]![j]! * found[j]!
    found[row] = sum / rows[row]![row]!
  }
  return found
}

/** psi_0 = 1, psi_1 …: what an innovation does to the values that follow (section 3.3). */
export function psiWeights({ ar, ma }: Arma, count: number): Float64Array {
  const psi = new Float64Array(count)
  for (let k = 0; k < count; k++) {
    let sum = k === 0 ? 1 : (ma[k - 1] ?? 0)
    for (let i = 1; i <= Math.min(k, ar.length); i++) sum += ar[i - 1]! * psi[k - i]!
    psi[k] = sum
  }
  return psi
}

/** (1 + a_1 B + …)(1 + b_1 B^s + …) less its leading one. */
export function multiply(a: ArrayLike<number>, b: ArrayLike<number>, step: number): Float64Array {
  const product = new Float64Array(a.length + b.length * step)
  for (let i = 0; i <= a.length; i++)
    for (let j = 0; j <= b.length; j++)
      if (i + j > 0) {
        const at = i + j * step - 1
        product[at] = product[at]! + (i === 0 ? 1 : a[i - 1]!) * (j === 0 ? 1 : b[j - 1]!)
      }
  return product
}

/**
 * Coefficients of a stationary autoregression from any numbers: Monahan, "A note on enforcing stationarity in
 * autoregressive-moving average models" (1984). The partial autocorrelations are their hyperbolic tangents. Of `count` numbers, from
 * the one at `from`.
 */
export function stationary(free: ArrayLike<number>, from = 0, count = free.length): Float64Array {
  const found = new Float64Array(count)
  for (let k = 0; k < count; k++) {
    const partial = 0.995 * Math.tanh(free[from + k]!)
    // Each needs the one across from it as it was.
    for (let [j, across] = [0, k - 1]; j <= across; j++, across--) {
      const [phi, other] = [found[j]!, found[across]!]
      found[j] = phi - partial * other
      found[across] = other - partial * phi
    }
    found[k] = partial
  }
  return found
}
