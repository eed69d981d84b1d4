/** Whether a model can be trained, as far as its record and its file tell. docs/training.md, "Models" */
import { readFileSync, statSync } from 'node:fs'
import { inspectOnnx, type ModelPackage, type OnnxInspection, OnnxInvalid } from '@millhand/model'
import { differentiableOperators, layersFault, partsOf, type TrainablePart, trainableModelOf } from '@millhand/training'

/** What is known of a model's file. */
export interface ModelFile extends Pick<OnnxInspection, 'opsets' | 'operators'> {
  readonly bytes: number
}

const MIB = 2 ** 20
/** About what fits a checkpoint with two states of the optimizer for each weight, and the best weights so far. */
const MOST_BYTES = 16 * MIB
/** Of a model that is frozen: with a head it fits the 128 MiB that a trained model may have. */
const MOST_BASE_BYTES = 120 * MIB
const LEAST_OPSET = 13

/** Make values that depend on no weight. */
const CONSTANT: ReadonlySet<string> = new Set(['Constant', 'ConstantOfShape', 'Shape', 'Range'])

/** What layers with weights are made of. */
const WEIGHTED: ReadonlySet<string> = new Set(['Gemm', 'MatMul', 'Conv', 'Gather'])

/** A new head takes the place of the last. Its weights are the head of a model that takes numbers, and adapters go on them. */
const PRODUCTS: ReadonlySet<string> = new Set(['Gemm', 'MatMul'])

/** Why a model can't be trained, or this part of it: how the sentence goes on; undefined where it can. */
export type TrainingFault = (part?: TrainablePart) => string | undefined

/** What of a model may be trained, the default first; nothing where there is a fault. */
export const trainableParts = (model: ModelPackage, faultOf: TrainingFault): readonly TrainablePart[] =>
  faultOf() === undefined ? partsOf(trainableModelOf(model)).filter(part => faultOf(part) === undefined) : []

export function trainingFault(model: ModelPackage, file: ModelFile, part?: TrainablePart): string | undefined {
  const { manifest, inputs } = model
  const { processing } = manifest
  if (trainableModelOf(model).base !== undefined)
    return baseFault(file, processing.kind === 'embedding') ?? (part === 'lora' ? attentionFault(file) : undefined)
  if (manifest.format !== 'onnx' || processing.kind !== 'single') return 'it is of several files, or no ONNX model'
  const { preprocess } = processing
  if (preprocess.name !== 'numbers' && preprocess.name !== 'tensors')
    return `its \`preprocess\` is \`${preprocess.name}\`; models that take numbers, tensors, tokens or pictures can be trained`
  if (file.bytes > MOST_BYTES) return `its file has over ${MOST_BYTES / MIB} MiB`
  const fixed = inputs.find(({ shape: [first] }) => first !== -1)
  if (fixed) return `the first axis of its input \`${fixed.name}\` is of a fixed length`
  const opset = file.opsets['ai.onnx'] ?? 0
  if (opset < LEAST_OPSET) return `its operators are of version ${opset}, older than ${LEAST_OPSET}`
  if (!file.operators.some(name => WEIGHTED.has(name))) return 'it has no product, convolution or embedding to train'
  const others = file.operators.filter(name => !differentiableOperators.has(name) && !CONSTANT.has(name))
  if (others.length > 0) return `it has operators that training does not go through: ${others.slice(0, 10).join(', ')}`
  const isWhole = part === undefined || part === 'all'
  return isWhole || hasProduct(file) ? undefined : `it has no product (Gemm or MatMul); \`all\` of it can be trained`
}

const hasProduct = ({ operators }: Pick<ModelFile, 'operators'>) => operators.some(name => PRODUCTS.has(name))

/** Its weights stay as they are, so that its operators may be any. */
function baseFault({ bytes, operators }: ModelFile, isEncoder: boolean): string | undefined {
  if (bytes > MOST_BASE_BYTES) return `its file has over ${MOST_BASE_BYTES / MIB} MiB`
  if (isEncoder || hasProduct({ operators })) return undefined
  return 'it has no product (Gemm or MatMul) whose place a new head would take'
}

/** Of a file that was not looked into, only a run tells. */
function attentionFault({ opsets, operators }: ModelFile): string | undefined {
  if (operators.length === 0) return undefined
  const opset = opsets['ai.onnx'] ?? 0
  if (opset < LEAST_OPSET) return `its operators are of version ${opset}, older than ${LEAST_OPSET}`
  if (operators.includes('Softmax') && hasProduct({ operators })) return undefined
  return 'it has no layers of attention (Softmax, with Gemm or MatMul)'
}

/** The same for the models of a deployment, whose files are looked into once. */
export class IncludedTraining {
  readonly #faults = new Map<string, string | undefined>()

  faultOf(model: ModelPackage, part?: TrainablePart): string | undefined {
    const fault = this.#once(`${model.id}@${model.version}`, () => includedFault(model))
    if (fault !== undefined || part === undefined) return fault
    return this.#once(`${model.id}@${model.version} ${part}`, () => includedPartFault(model, part))
  }

  #once(key: string, find: () => string | undefined): string | undefined {
    if (!this.#faults.has(key)) this.#faults.set(key, faultOrInvalid(find))
    return this.#faults.get(key)
  }
}

/** All files are looked into when the service starts: one that can't be used must not keep it from starting. */
function faultOrInvalid(find: () => string | undefined): string | undefined {
  try {
    return find()
  } catch (error) {
    return error instanceof OnnxInvalid ? error.message : 'its file cannot be read'
  }
}

/** Reads a file of up to 120 MiB: about 150 ms for the sentence encoder. */
function includedPartFault(model: ModelPackage, part: TrainablePart): string | undefined {
  const { base } = trainableModelOf(model)
  const path = model.files.model
  if (path === undefined) return undefined
  if (base === undefined) return trainingFault(model, { bytes: 0, ...inspectOnnx(readFileSync(path)) }, part)
  const isAdapted = base === 'text' && part === 'lora'
  return isAdapted ? layersFault(readFileSync(path), model.manifest.processing.kind === 'embedding') : undefined
}

function includedFault(model: ModelPackage): string | undefined {
  const unread = trainingFault(model, { bytes: 0, opsets: { 'ai.onnx': LEAST_OPSET }, operators: ['Gemm'] })
  if (unread !== undefined) return unread
  const path = model.files.model
  if (path === undefined) return 'its file is not known here'
  const bytes = includedBytes(model)
  const isUnread = bytes > MOST_BYTES || model.manifest.processing.kind === 'embedding'
  return trainingFault(model, { bytes, ...(isUnread ? NOTHING : inspectOnnx(readFileSync(path))) })
}

/** The size of the file of a model of a deployment; 0 where it is not known here. */
export const includedBytes = ({ files: { model: path } }: ModelPackage): number =>
  path === undefined ? 0 : statSync(path).size

const NOTHING = { opsets: {}, operators: [] }
