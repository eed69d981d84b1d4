/** A model as the contract shows it. */
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { InputFormat, type Model, ModelStatus } from '@millhand/api/gen/millhand/compute/v1/model_pb.ts'
import type { BrokenModel, CatalogueEntry, ModelPackage, TensorSpec } from '@millhand/model'
import type { TrainablePart } from '@millhand/training'
import type { StoredModel } from './models/model.ts'
import { packageOf } from './models/model-package.ts'
import { trainableParts, trainingFault } from './training/trainability.ts'

const inputFormats = {
  text: InputFormat.TEXT,
  json: InputFormat.JSON,
  image: InputFormat.IMAGE,
  audio: InputFormat.AUDIO,
  tensors: InputFormat.TENSORS,
  bytes: InputFormat.BYTES,
} as const

/** What every deployment has. */
const PROCESSOR = ['cpu'] as const

/** An account's own one. `engines`: what can run it at present. */
export const ownModelMessage = (model: StoredModel, engines: readonly string[] = PROCESSOR): Model => ({
  ...ownReady(model, engines),
  bytes: model.bytes,
  ...(model.training !== undefined && { training: model.training }),
  opsets: model.opsets,
  operators: [...model.operators],
})

/** The same as lists and events have it: without what can take 256 KiB of each model. */
export function listedModelMessage(model: StoredModel, engines: readonly string[] = PROCESSOR): Model {
  const { outputSchema: _, ...message } = ownReady(model, engines)
  return { ...message, bytes: model.bytes }
}

export const modelMessage = (
  model: CatalogueEntry,
  engines: readonly string[],
  partsOf: (model: ModelPackage) => readonly TrainablePart[],
): Model => (model.status === 'ready' ? ready(model, engines, partsOf(model)) : broken(model))

function ownReady(stored: StoredModel, engines: readonly string[]): Model {
  const model = packageOf(stored)
  return ready(
    model,
    engines,
    trainableParts(model, part => trainingFault(model, stored, part)),
  )
}

function ready(model: ModelPackage, engines: readonly string[], parts: readonly TrainablePart[]): Model {
  const { manifest } = model
  return {
    $typeName: 'millhand.compute.v1.Model',
    id: model.id,
    name: manifest.name,
    kind: manifest.kind,
    description: manifest.description,
    ownedBy: model.ownedBy,
    format: manifest.format,
    inputFormat: inputFormats[manifest.inputFormat],
    inputs: model.inputs.map(tensorMessage),
    outputs: model.outputs.map(tensorMessage),
    batchable: manifest.batchable,
    maxBatch: manifest.maxBatch,
    trainable: parts.length > 0,
    trainableParts: [...parts],
    engines: engines.filter(engine => manifest.providers.some(provider => provider === engine)),
    license: manifest.license,
    status: ModelStatus.READY,
    version: model.version,
    createdAt: timestampFromDate(model.createdAt),
    ...(model.exampleInput !== undefined && { exampleInput: model.exampleInput }),
    metrics: manifest.metrics,
    outputSchema: model.outputSchema,
    opsets: {},
    operators: [],
  }
}

/** Of a broken model only its name, its owner and its fault are known. */
const broken = (model: BrokenModel): Model => ({
  $typeName: 'millhand.compute.v1.Model',
  id: model.id,
  name: model.id,
  kind: 'inference',
  description: '',
  ownedBy: model.ownedBy,
  format: 'onnx',
  inputFormat: InputFormat.UNSPECIFIED,
  inputs: [],
  outputs: [],
  batchable: false,
  maxBatch: 1,
  trainable: false,
  trainableParts: [],
  engines: [],
  license: '',
  status: ModelStatus.BROKEN,
  problem: model.problem,
  version: '',
  createdAt: timestampFromDate(model.createdAt),
  metrics: {},
  opsets: {},
  operators: [],
})

const tensorMessage = ({ name, dtype, shape }: TensorSpec): Model['inputs'][number] => ({
  $typeName: 'millhand.compute.v1.TensorSpec',
  name,
  dtype,
  shape: [...shape],
})
