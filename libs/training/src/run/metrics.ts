/** Losses and metrics of predictions, in float64. */
import type { Loss } from '../loss.ts'

export const CLASS_METRICS = ['accuracy', 'precision', 'recall', 'f1'] as const
export const NUMBER_METRICS = ['mse', 'rmse', 'mae', 'r2'] as const

export type MetricName = (typeof CLASS_METRICS)[number] | (typeof NUMBER_METRICS)[number]

export type Scores = { readonly loss: number } & { readonly [name in MetricName]?: number }

export interface Scorer {
  /** Predictions are what the loss takes (scores before softmax or sigmoid), with `classes` for each target of cross_entropy. */
  add(predictions: ArrayLike<number>, targets: ArrayLike<number | bigint>): void
  scores(metrics: readonly MetricName[]): Scores
  /** Examples by class (rows) and predicted class (columns); undefined for numbers, and for more than 100 classes. */
  confusion(): readonly (readonly number[])[] | undefined
}

/** `classes`: of cross_entropy. */
export const openScorer = (loss: Loss, classes: number): Scorer =>
  loss === 'mean_squared' ? numberScorer() : loss === 'cross_entropy' ? classScorer(classes) : binaryScorer()

const MOST_IN_MATRIX = 100

function classScorer(classes: number): Scorer {
  const counts = classCounts(classes)
  let total = 0
  return {
    add(predictions, targets) {
      for (let at = 0; at < targets.length; at += 1) {
        const target = Number(targets[at])
        const scoreOf = (each: number) => predictions[at * classes + each] as number
        let best = 0
        for (let each = 1; each < classes; each += 1) if (scoreOf(each) > scoreOf(best)) best = each
        let sum = 0
        for (let each = 0; each < classes; each += 1) sum += Math.exp(scoreOf(each) - scoreOf(best))
        total += Math.log(sum) + scoreOf(best) - scoreOf(target)
        counts.add(target, best)
      }
    },
    scores: metrics => ({ loss: total / counts.examples(), ...chosen(metrics, counts.macro()) }),
    confusion: counts.matrix,
  }
}

function binaryScorer(): Scorer {
  const counts = classCounts(2)
  let total = 0
  return {
    add(predictions, targets) {
      for (let at = 0; at < targets.length; at += 1) {
        const score = predictions[at] as number
        const target = Number(targets[at])
        total += Math.max(score, 0) - score * target + Math.log1p(Math.exp(-Math.abs(score)))
        counts.add(target, Number(score > 0))
      }
    },
    scores: metrics => ({ loss: total / counts.examples(), ...chosen(metrics, counts.of(1)) }),
    confusion: counts.matrix,
  }
}

function numberScorer(): Scorer {
  let [count, squares, distances, sum, sumOfSquares] = [0, 0, 0, 0, 0]
  return {
    add(predictions, targets) {
      for (let at = 0; at < targets.length; at += 1) {
        const target = Number(targets[at])
        const difference = (predictions[at] as number) - target
        count += 1
        squares += difference ** 2
        distances += Math.abs(difference)
        sum += target
        sumOfSquares += target ** 2
      }
    },
    scores(metrics) {
      const mse = squares / count
      const variance = sumOfSquares / count - (sum / count) ** 2
      const r2 = variance > 0 ? 1 - mse / variance : 0
      return { loss: mse, ...chosen(metrics, { mse, rmse: Math.sqrt(mse), mae: distances / count, r2 }) }
    },
    confusion: () => undefined,
  }
}

/** Sokolova and Lapalme, A systematic analysis of performance measures for classification tasks (2009), tables 2 and 3. */
function classCounts(classes: number) {
  const right = new Float64Array(classes)
  const actual = new Float64Array(classes)
  const predicted = new Float64Array(classes)
  const cells =
    classes <= MOST_IN_MATRIX ? Array.from({ length: classes }, () => new Array<number>(classes).fill(0)) : undefined
  const sum = (counts: Float64Array) => counts.reduce((whole, count) => whole + count, 0)
  const accuracy = () => sum(right) / sum(actual)
  const of = (each: number) => {
    const [hits = 0, found = 0, there = 0] = [right[each], predicted[each], actual[each]]
    return {
      accuracy: accuracy(),
      precision: found > 0 ? hits / found : 0,
      recall: there > 0 ? hits / there : 0,
      f1: found + there > 0 ? (2 * hits) / (found + there) : 0,
    }
  }
  return {
    add(target: number, prediction: number) {
      actual[target] = (actual[target] ?? 0) + 1
      predicted[prediction] = (predicted[prediction] ?? 0) + 1
      if (target === prediction) right[target] = (right[target] ?? 0) + 1
      const row = cells?.[target]
      if (row) row[prediction] = (row[prediction] ?? 0) + 1
    },
    examples: () => sum(actual),
    matrix: () => cells,
    /** Of one class against the other. */
    of,
    /** The mean over the classes that are there or were predicted. */
    macro() {
      const seen = [...actual.keys()].filter(each => (actual[each] ?? 0) + (predicted[each] ?? 0) > 0).map(of)
      const mean = (name: 'precision' | 'recall' | 'f1') =>
        seen.reduce((whole, each) => whole + each[name], 0) / seen.length
      return { accuracy: accuracy(), precision: mean('precision'), recall: mean('recall'), f1: mean('f1') }
    },
  }
}

const chosen = (metrics: readonly MetricName[], values: Readonly<Partial<Record<MetricName, number>>>) =>
  Object.fromEntries(metrics.map(name => [name, values[name]])) as Partial<Record<MetricName, number>>
