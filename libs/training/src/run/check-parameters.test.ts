import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkParameters } from './check-parameters.ts'
import type { TrainableModel } from './trainable-model.ts'

const spec = (name: string, shape: readonly number[]) => ({ name, dtype: 'float32', shape }) as const
const model: TrainableModel = { inputs: [spec('x', [-1, 4])], outputs: [spec('y', [-1, 3])] }

const problemsOf = (given: unknown, of = model) => {
  const result = checkParameters(given, of)
  return 'problems' in result ? result.problems.map(({ path, message }) => `${path}: ${message}`) : []
}

test('what is not given has a default', () => {
  const result = checkParameters(undefined, model)
  assert.deepEqual('parameters' in result && result.parameters, {
    epochs: 10,
    batch_size: 32,
    learning_rate: 0.001,
    optimizer: 'adam',
    schedule: 'constant',
    warmup_steps: 0,
    weight_decay: 0,
    validation_split: 0.2,
    early_stopping: null,
    seed: 0,
    loss: 'cross_entropy',
    train: 'all',
    rank: null,
    metrics: ['accuracy', 'f1'],
    on_cancel: 'discard',
  })
})

test('the defaults of one parameter depend on others', () => {
  const parametersOf = (given: object) => {
    const result = checkParameters(given, model)
    return 'parameters' in result ? result.parameters : undefined
  }
  assert.equal(parametersOf({ optimizer: 'sgd' })?.learning_rate, 0.01)
  assert.equal(parametersOf({ optimizer: 'adamw' })?.weight_decay, 0.01)
  assert.equal(parametersOf({ train: 'lora' })?.rank, 8)
  assert.deepEqual(parametersOf({ loss: 'mean_squared' })?.metrics, ['mse', 'mae'])
  assert.deepEqual(parametersOf({ early_stopping: {} })?.early_stopping, { patience: 3, min_delta: 0 })
  assert.equal(parametersOf({ early_stopping: null })?.early_stopping, null)
})

test('the parameters of a card are parameters again', () => {
  for (const given of [{}, { train: 'lora', early_stopping: { patience: 2 } }, { loss: 'mean_squared' }]) {
    const first = checkParameters(given, model)
    assert.ok('parameters' in first)
    assert.deepEqual(checkParameters(first.parameters, model), first)
  }
})

const wrong: [what: string, given: unknown, says: string][] = [
  ['a list', [], 'parameters: must be an object'],
  ['null', null, 'parameters: must be an object'],
  ['no epoch', { epochs: 0 }, 'parameters.epochs: must be a whole number from 1 to 1000'],
  ['half an epoch', { epochs: 1.5 }, 'parameters.epochs: must be a whole number from 1 to 1000'],
  ['epochs as text', { epochs: '3' }, 'parameters.epochs: must be a whole number from 1 to 1000'],
  ['a large batch', { batch_size: 4097 }, 'parameters.batch_size: must be a whole number from 1 to 4096'],
  ['no rate', { learning_rate: 0 }, 'parameters.learning_rate: must be a number above 0 and at most 10'],
  [
    'a rate without end',
    { learning_rate: Infinity },
    'parameters.learning_rate: must be a number above 0 and at most 10',
  ],
  ['another optimizer', { optimizer: 'lion' }, 'parameters.optimizer: must be one of adam, adamw, sgd'],
  ['another schedule', { schedule: 3 }, 'parameters.schedule: must be one of constant, cosine, linear'],
  ['a large part', { validation_split: 0.6 }, 'parameters.validation_split: must be a number from 0 to 0.5'],
  ['a large seed', { seed: 2 ** 32 }, 'parameters.seed: must be a whole number from 0 to 4294967295'],
  ['a negative decay', { weight_decay: -1 }, 'parameters.weight_decay: must be a number from 0 to 1'],
  ['patience alone', { early_stopping: 3 }, 'parameters.early_stopping: must be an object with `patience`, or null'],
  [
    'no patience',
    { early_stopping: { patience: 0 } },
    'parameters.early_stopping.patience: must be a whole number from 1 to 1000',
  ],
  [
    'a field that is not known',
    { early_stopping: { monitor: 'loss' } },
    'parameters.early_stopping.monitor: is not known; these are: min_delta, patience',
  ],
  [
    'stopping early without a held-out part',
    { early_stopping: {}, validation_split: 0 },
    'parameters.early_stopping: needs a held-out part, and `validation_split` is 0',
  ],
  ['rank without adapters', { rank: 4 }, 'parameters.rank: goes with `train` lora alone'],
  [
    'metrics of numbers for classes',
    { metrics: ['mse'] },
    'parameters.metrics: must be a list of accuracy, precision, recall, f1, each at most once: those go with this `loss`',
  ],
]
for (const [what, given, says] of wrong) {
  test(`${what} is a problem that names its field`, () => assert.deepEqual(problemsOf(given), [says]))
}

test('all problems are told at once', () => {
  assert.deepEqual(
    problemsOf({ epochs: 0, rate: 1, loss: 'hinge' }).map(each => each.slice(0, each.indexOf(':'))),
    ['parameters.loss', 'parameters.epochs', 'parameters.rate'],
  )
})

test('what the shapes of the model do not go with is a problem', () => {
  const fixed = { ...model, inputs: [spec('x', [1, 4])] }
  assert.deepEqual(problemsOf({}, fixed), [
    'parameters.batch_size: must be 1: the input `x` of the model has exactly 1 in its first axis',
  ])
  assert.deepEqual(problemsOf({ batch_size: 1 }, fixed), [])
  const single = { ...model, outputs: [spec('y', [-1, 1])] }
  assert.match(problemsOf({}, single).join(), /parameters.loss: must be binary_cross_entropy or mean_squared/)
  assert.deepEqual(problemsOf({ loss: 'binary_cross_entropy' }, single), [])
})

test('what can be trained depends on what the model takes', () => {
  assert.deepEqual(problemsOf({ train: 'lora', rank: 4 }, { ...model, base: 'text' }), [])
  assert.deepEqual(problemsOf({ train: 'all' }, { ...model, base: 'text' }), [
    'parameters.train: must be one of head, lora',
  ])
  assert.deepEqual(problemsOf({ train: 'lora' }, { ...model, base: 'picture' }), [
    'parameters.train: must be one of head',
  ])
})
