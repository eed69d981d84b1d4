export { CheckpointInvalid, readCheckpoint, writeCheckpoint } from './checkpoint.ts'
export { differentiableOperators } from './differentiable-operators.ts'
export { batchesOf, takeExamples } from './examples.ts'
export { type FrozenBase, layersFault, openFrozenBase } from './frozen/frozen-base.ts'
export { frozenInput, frozenInputs } from './frozen/frozen-input.ts'
export type { Layers } from './frozen/layers.ts'
export { isClassName, MOST_CLASSES, openNewClasses } from './frozen/new-classes.ts'
export { FEATURES, newHead } from './frozen/new-head.ts'
export type { Loss } from './loss.ts'
export type { Optimizer } from './optimizer.ts'
export { checkParameters } from './run/check-parameters.ts'
export { checkpointProblems, MOST_CHECKPOINT_BYTES, MOST_MODEL_BYTES, requireStorable } from './run/checkpoint-size.ts'
export { type ExampleSet, ExamplesInvalid } from './run/example-set.ts'
export type { InputReader } from './run/input-elements.ts'
export { openScorer } from './run/metrics.ts'
export { reportOf } from './run/progress-report.ts'
export { exampleFormatOf, type ReadOptions, readExamples } from './run/read-examples.ts'
export { learningRateAt } from './run/schedule.ts'
export { splitExamples } from './run/split.ts'
export { outputWidth, partsOf, type TrainableModel, trainableModelOf } from './run/trainable-model.ts'
export {
  createTrainer,
  type Trainer,
  type TrainerOptions,
  TrainingDiverged,
  type TrainingProgress,
} from './run/trainer.ts'
export { cardOf, type EpochRecord, type TrainingCard } from './run/training-card.ts'
export {
  type ParameterProblem,
  ParametersInvalid,
  type TrainablePart,
  type TrainingParameters,
} from './run/training-parameters.ts'
export type { Evaluate } from './trace.ts'
export { trainedModel } from './trained-model.ts'
export { buildTrainingGraph, type TrainingGraph, type TrainingGraphOptions } from './training-graph.ts'
export { TrainingRefused } from './training-refused.ts'
export { openTrainingSteps, type TrainingState, type TrainingSteps } from './training-steps.ts'
