/** Metrics by examples that are counted by hand; macro means as scikit-learn takes them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CLASS_METRICS, NUMBER_METRICS, openScorer } from './metrics.ts'

const close = (actual: number | undefined, expected: number) =>
  assert.ok(Math.abs((actual ?? Number.NaN) - expected) < 1e-12, `${actual}, not ${expected}`)

test('of classes', () => {
  const scorer = openScorer('cross_entropy', 3)
  // Predicted 0, 0, 1, 2; class 2 is told once of twice.
  scorer.add([2, 1, 0, 1, 0, 0], [0, 2])
  scorer.add([0, 5, 0, 0, 0, 1], [1, 2])
  const scores = scorer.scores(CLASS_METRICS)
  assert.deepEqual(scorer.confusion(), [
    [1, 0, 0],
    [0, 1, 0],
    [1, 0, 1],
  ])
  close(scores.accuracy, 3 / 4)
  close(scores.precision, (1 / 2 + 1 + 1) / 3)
  close(scores.recall, (1 + 1 + 1 / 2) / 3)
  close(scores.f1, (2 / 3 + 1 + 2 / 3) / 3)
  const softmax = (row: readonly number[], at: number) =>
    Math.exp(row[at] as number) / row.reduce((sum, each) => sum + Math.exp(each), 0)
  const chances = [softmax([2, 1, 0], 0), softmax([1, 0, 0], 2), softmax([0, 5, 0], 1), softmax([0, 0, 1], 2)]
  close(scores.loss, -chances.reduce((sum, each) => sum + Math.log(each), 0) / 4)
})

test('a class that is neither there nor predicted has no part in the mean', () => {
  const scorer = openScorer('cross_entropy', 4)
  scorer.add([1, 0, 0, 0], [0])
  assert.equal(scorer.scores(['f1']).f1, 1)
})

test('large scores make no loss infinite', () => {
  const scorer = openScorer('cross_entropy', 2)
  scorer.add([1000, 0], [1])
  close(scorer.scores([]).loss, 1000)
  const binary = openScorer('binary_cross_entropy', 0)
  binary.add([-1000, 1000], [1, 1])
  close(binary.scores([]).loss, 500)
})

test('of two classes those of class 1', () => {
  const scorer = openScorer('binary_cross_entropy', 0)
  scorer.add([1, -1, 2, -2], [1, 1, 0, 0])
  const { loss, ...scores } = scorer.scores(CLASS_METRICS)
  assert.deepEqual(scores, { accuracy: 1 / 2, precision: 1 / 2, recall: 1 / 2, f1: 1 / 2 })
  close(loss, [-1, 1, 2, -2].reduce((sum, each) => sum + Math.log1p(Math.exp(each)), 0) / 4)
  assert.deepEqual(scorer.confusion(), [
    [1, 1],
    [1, 1],
  ])
})

test('of numbers', () => {
  const scorer = openScorer('mean_squared', 1)
  scorer.add([1, 2, 3], [1, 4, 4])
  const { loss, mse, rmse, mae, r2 } = scorer.scores(NUMBER_METRICS)
  close(mse, 5 / 3)
  assert.equal(loss, mse)
  close(rmse, Math.sqrt(5 / 3))
  close(mae, 1)
  close(r2, 1 - 5 / 6)
  assert.equal(scorer.confusion(), undefined)
})

test('many classes have no matrix, and are counted all the same', () => {
  const scorer = openScorer('cross_entropy', 101)
  scorer.add(new Float32Array(101), [0])
  assert.equal(scorer.confusion(), undefined)
  assert.equal(scorer.scores(['accuracy']).accuracy, 1)
})
