/** Reads `parameters` of a training task. */
import { excerpt, isObject } from '@millhand/model'
import { CLASS_METRICS, type MetricName, NUMBER_METRICS } from './metrics.ts'
import { outputWidth, partsOf, type TrainableModel } from './trainable-model.ts'
import type { ParameterProblem, TrainingParameters } from './training-parameters.ts'

/** Reads the parameters of a task and fills in the defaults, or says all that is wrong. Cheap: for every create. */
export function checkParameters(
  given: unknown,
  model: TrainableModel,
): { readonly parameters: TrainingParameters } | { readonly problems: readonly ParameterProblem[] } {
  if (given !== undefined && !isObject(given)) {
    return { problems: [{ path: 'parameters', message: 'must be an object' }] }
  }
  const problems: ParameterProblem[] = []
  const read = readerOf(given ?? {}, 'parameters', problems)
  const optimizer = read.oneOf('optimizer', ['adam', 'adamw', 'sgd'])
  const loss = read.oneOf('loss', ['cross_entropy', 'binary_cross_entropy', 'mean_squared'])
  const train = read.oneOf('train', partsOf(model))
  if (train !== 'lora' && (read.value('rank') ?? null) !== null) read.problem('rank', 'goes with `train` lora alone')
  const parameters: TrainingParameters = {
    epochs: read.whole('epochs', [1, 1000], 10),
    batch_size: read.whole('batch_size', [1, 4096], 32),
    learning_rate: read.positive('learning_rate', 10, optimizer === 'sgd' ? 0.01 : 0.001),
    optimizer,
    schedule: read.oneOf('schedule', ['constant', 'cosine', 'linear']),
    warmup_steps: read.whole('warmup_steps', [0, 100_000], 0),
    weight_decay: read.number('weight_decay', [0, 1], optimizer === 'adamw' ? 0.01 : 0),
    validation_split: read.number('validation_split', [0, 0.5], 0.2),
    early_stopping: read.has('early_stopping') ? readEarlyStopping(read.value('early_stopping'), problems) : null,
    seed: read.whole('seed', [0, 2 ** 32 - 1], 0),
    loss,
    train,
    rank: train === 'lora' ? read.whole('rank', [1, 256], 8) : null,
    metrics: readMetrics(read, loss === 'mean_squared' ? NUMBER_METRICS : CLASS_METRICS),
    on_cancel: read.oneOf('on_cancel', ['discard', 'keep_best']),
  }
  read.refuseOthers()
  if (parameters.early_stopping !== null && parameters.validation_split === 0) {
    read.problem('early_stopping', 'needs a held-out part, and `validation_split` is 0')
  }
  problems.push(...modelProblems(parameters, model))
  return problems.length > 0 ? { problems } : { parameters }
}

function readEarlyStopping(given: unknown, problems: ParameterProblem[]): TrainingParameters['early_stopping'] {
  if (given === null) return null
  if (!isObject(given)) {
    problems.push({ path: 'parameters.early_stopping', message: 'must be an object with `patience`, or null' })
    return null
  }
  const read = readerOf(given, 'parameters.early_stopping', problems)
  const found = {
    patience: read.whole('patience', [1, 1000], 3),
    min_delta: read.number('min_delta', [0, 1000], 0),
  }
  read.refuseOthers()
  return found
}

function readMetrics(read: Reader, known: readonly MetricName[]): readonly MetricName[] {
  if (!read.has('metrics')) return known.includes('f1') ? ['accuracy', 'f1'] : ['mse', 'mae']
  const given = read.value('metrics')
  const isRight = Array.isArray(given) && given.every(each => known.includes(each as MetricName))
  if (isRight && given.length > 0 && new Set(given).size === given.length) return given as MetricName[]
  read.problem('metrics', `must be a list of ${known.join(', ')}, each at most once: those go with this \`loss\``)
  return []
}

/** What can be told from the shapes that the model's record has; the rest is found where the run begins. */
function modelProblems({ batch_size, loss }: TrainingParameters, model: TrainableModel): ParameterProblem[] {
  if (model.base !== undefined) {
    const message = 'must be cross_entropy: the head has a class for each label'
    return loss === 'cross_entropy' ? [] : [{ path: 'parameters.loss', message }]
  }
  const problems: ParameterProblem[] = []
  for (const { name, shape } of model.inputs) {
    const [rows = -1] = shape
    if (rows !== -1 && rows !== batch_size) {
      const message = `must be ${rows}: the input \`${excerpt(name)}\` of the model has exactly ${rows} in its first axis`
      problems.push({ path: 'parameters.batch_size', message })
      break
    }
  }
  if (loss === 'cross_entropy' && outputWidth(model) === 1) {
    const message = 'must be binary_cross_entropy or mean_squared: the output of the model is one number'
    problems.push({ path: 'parameters.loss', message })
  }
  return problems
}

type Reader = ReturnType<typeof readerOf>

function readerOf(given: Readonly<Record<string, unknown>>, path: string, problems: ParameterProblem[]) {
  const read = new Set<string>()
  const problem = (name: string, message: string) => void problems.push({ path: `${path}.${excerpt(name)}`, message })
  const value = (name: string): unknown => {
    read.add(name)
    return Object.hasOwn(given, name) ? given[name] : undefined
  }
  const checked = <T>(name: string, missing: T, isRight: (found: unknown) => boolean, message: string): T => {
    const found = value(name)
    if (found === undefined) return missing
    if (isRight(found)) return found as T
    problem(name, message)
    return missing
  }
  const isWithin = (found: unknown, least: number, most: number) =>
    typeof found === 'number' && found >= least && found <= most
  return {
    value,
    problem,
    has: (name: string) => value(name) !== undefined,
    oneOf: <const T extends string>(name: string, values: readonly [T, ...T[]]): T =>
      checked<T>(name, values[0], found => values.includes(found as T), `must be one of ${values.join(', ')}`),
    whole: (name: string, [least, most]: readonly [number, number], missing: number) =>
      checked(
        name,
        missing,
        found => Number.isInteger(found) && isWithin(found, least, most),
        `must be a whole number from ${least} to ${most}`,
      ),
    number: (name: string, [least, most]: readonly [number, number], missing: number) =>
      checked(name, missing, found => isWithin(found, least, most), `must be a number from ${least} to ${most}`),
    positive: (name: string, most: number, missing: number) =>
      checked(
        name,
        missing,
        found => isWithin(found, Number.MIN_VALUE, most),
        `must be a number above 0 and at most ${most}`,
      ),
    refuseOthers() {
      for (const name of Object.keys(given)) {
        if (!read.has(name)) problem(name, `is not known; these are: ${[...read].toSorted().join(', ')}`)
      }
    },
  }
}
