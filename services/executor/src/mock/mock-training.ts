/**
 * What the sandbox says of a training that it does not do: the reports and the card of a run whose predictions are made
 * up. All else is that of a run: the split, the steps, the learning rate, the metrics and the form.
 */
import type { RunItem } from '@millhand/child-process'
import type { ModelPackage } from '@millhand/model'
import {
  cardOf,
  checkParameters,
  type EpochRecord,
  learningRateAt,
  openScorer,
  outputWidth,
  reportOf,
  splitExamples,
  type TrainingCard,
  type TrainingProgress,
  takeExamples,
  trainableModelOf,
} from '@millhand/training'
import { mockExamples } from './mock-examples.ts'
import type { MockOutput } from './mock-output.ts'
import type { SeededRandom } from './seeded-random.ts'

/** Reports, however many epochs there are. */
const MOST_REPORTS = 20
/** What a step would take. */
const STEP_MS = 10
/** Of all predictions that are made up: they are scored in the process that others' runs share. */
const MOST_SCORES = 1e6
/** With more there is no confusion matrix, and the scores are made up in any case. */
const MOST_CLASSES = 101

/** Throws `InputInvalid` for examples that a run would refuse. Rejects once the signal fires while it reads a file. */
export async function mockTraining(
  model: ModelPackage,
  dice: SeededRandom,
  input: RunItem['input'],
  signal: AbortSignal,
  asked: Readonly<Record<string, unknown>> = {},
): Promise<MockOutput | undefined> {
  const { chunks: _, interval_ms: __, chunk: ___, provider: ____, ...known } = asked
  const trainable = trainableModelOf(model)
  const checked = checkParameters(known, trainable)
  if ('problems' in checked) return undefined
  const { parameters } = checked
  const { epochs } = parameters
  const examples = await mockExamples(input, { model: trainable, parameters }, signal)
  const { labels } = examples
  const trained = labels ? { ...trainable, labels } : trainable
  const split = splitExamples(examples, parameters)
  // A run refuses a batch that is larger than what it is trained on, where the task names it.
  const hasBatchSize = known.batch_size !== undefined
  const batch_size = hasBatchSize ? parameters.batch_size : Math.min(parameters.batch_size, split.learned.length)
  const perEpoch = Math.max(1, Math.floor(split.learned.length / batch_size))
  const steps = perEpoch * epochs
  const targets = takeExamples(examples.targets, split.heldOut).data as ArrayLike<number | bigint>
  const classes = labels?.length ?? outputWidth(trainable) ?? 2
  const evaluate = openPredictions(targets, { parameters, classes, dice })
  const [first, last] = [evaluate(qualityOf(1)), evaluate(qualityOf(epochs))]
  const curves = Array.from({ length: epochs }, (_, at): EpochRecord => {
    const step = (at + 1) * perEpoch
    const validation = first && last && between(first.scores, last.scores, epochs > 1 ? at / (epochs - 1) : 1)
    const learning_rate = learningRateAt(parameters, { step, steps })
    return { epoch: at + 1, step, learning_rate, loss: lossOf(step / perEpoch), validation: validation ?? null }
  })
  const cardUntil = (epoch: number, ended: TrainingCard['ended']) => {
    const bestEpoch = first && last ? (last.scores.loss < first.scores.loss ? epoch : 1) : null
    const parent = { model: model.id, digest: model.version }
    const scores = bestEpoch === 1 ? first : last
    const card = cardOf(
      { parent, model: trained, examples, parameters: { ...parameters, batch_size }, versions: { sandbox: '1' } },
      { split, curves: curves.slice(0, epoch), bestEpoch, scores, ended },
    )
    return JSON.stringify({
      digest: model.version,
      metrics: card.metrics ?? {},
      card: labels ? { ...card, labels } : card,
    })
  }
  const progressAt = (step: number): TrainingProgress => ({
    ...{ step, steps, epochs, epoch: Math.ceil(step / perEpoch), examples: step * batch_size },
    ...{ loss: lossOf(step / perEpoch), learningRate: learningRateAt(parameters, { step, steps }) },
    lastEpoch: curves[Math.floor(step / perEpoch) - 1],
    bestEpoch: Math.floor(step / perEpoch),
    done: step === steps,
  })
  const every = Math.ceil(epochs / MOST_REPORTS)
  const reported = [1, ...curves.filter(({ epoch }) => epoch % every === 0).map(({ step }) => step), steps]
  const reports = [...new Set(reported)].map(step =>
    reportOf(progressAt(step), { step: 0, examples: 0 }, step * STEP_MS),
  )
  return {
    output: cardUntil(epochs, 'completed'),
    ...(parameters.on_cancel === 'keep_best' && { best: cardUntil(1, 'cancelled') }),
    pieces: [],
    trains: true,
    progress: [...(labels ? [featureReport(examples.count)] : []), ...reports],
  }
}

/** What a run says while it computes the features of a frozen base. */
const featureReport = (examples: number) => ({
  fraction: 0,
  message: `features of ${examples} examples`,
  metrics: { examples },
})

/** Of a step, by the epochs that were made by then. */
const lossOf = (epochs: number): number => 2 / (epochs + 1)

/** The share of the predictions after an epoch that are right. */
const qualityOf = (epoch: number): number => 0.95 - 0.5 / epoch

type Scores = NonNullable<TrainingCard['metrics']>

const between = (first: Scores, last: Scores, share: number): Scores => ({
  loss: mean(first.loss, last.loss, share),
  ...Object.fromEntries(
    Object.entries(first).map(([name, value]) => [name, mean(value, last[name as keyof Scores] ?? value, share)]),
  ),
})

const mean = (a: number, b: number, share: number): number => (share === 1 ? b : a + (b - a) * share)

/** The scores of predictions for these targets, or for some of many, by the share that is right; undefined where there are none. */
function openPredictions(
  targets: ArrayLike<number | bigint>,
  options: {
    readonly parameters: Pick<TrainingCard['parameters'], 'loss' | 'metrics'>
    readonly classes: number
    readonly dice: SeededRandom
  },
) {
  const { parameters, dice } = options
  const { loss, metrics } = parameters
  const classes = loss === 'cross_entropy' ? Math.min(options.classes, MOST_CLASSES) : 2
  const count = Math.min(targets.length, Math.floor(MOST_SCORES / classes))
  const draws = Array.from({ length: count }, (_, at) => {
    const target = Number(targets[Math.floor((at * targets.length) / count)])
    return {
      target: loss === 'mean_squared' ? target : target % classes,
      luck: dice.next(),
      other: dice.between(1, classes - 1),
    }
  })
  const rows = loss === 'cross_entropy' ? rowsOf(classes) : []
  return (quality: number) => {
    if (draws.length === 0) return undefined
    const scorer = openScorer(loss, classes)
    for (const { target, luck, other } of draws) {
      const predicted = luck < quality ? target : (target + other) % classes
      scorer.add(predictionOf(loss, { target, predicted, luck, quality, rows }), [target])
    }
    return { scores: scorer.scores(metrics), confusion: scorer.confusion() }
  }
}

interface Prediction {
  readonly target: number
  /** The class. */
  readonly predicted: number
  readonly luck: number
  readonly quality: number
  /** Scores of all classes, by the predicted one. */
  readonly rows: readonly (readonly number[])[]
}

/** As the loss takes it: a number, or the scores of classes. */
function predictionOf(
  loss: TrainingCard['parameters']['loss'],
  { target, predicted, luck, quality, rows }: Prediction,
): readonly number[] {
  switch (loss) {
    case 'mean_squared':
      return [target + (luck - 0.5) * (1 - quality) * Math.max(1, Math.abs(target))]
    case 'binary_cross_entropy':
      return [predicted === 1 ? MARGIN : -MARGIN]
    case 'cross_entropy':
      return rows[predicted] ?? []
  }
}

/** By which the score of the predicted class is above the others. */
const MARGIN = 3

const rowsOf = (classes: number): readonly (readonly number[])[] =>
  Array.from({ length: classes }, (_, predicted) =>
    Array.from({ length: classes }, (_, each) => (each === predicted ? MARGIN : 0)),
  )
