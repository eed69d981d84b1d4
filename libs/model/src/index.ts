export * from './catalogue.ts'
export { checkInput, checkTensors, type NumbersPreprocess, readNumbers } from './check-input.ts'
export { checkHead, readBytesUri, readDataUri } from './data-uri.ts'
export { type Dtype, type ElementArray, type Elements, elements, isDtype, numberAs } from './dtype.ts'
export { excerpt } from './excerpt.ts'
export { type Generation, generationFaults, readGeneration } from './generation.ts'
export { checkInputFile, INPUT_HEAD_BYTES } from './input-file.ts'
export { isObject } from './is-object.ts'
export {
  type InputFormat,
  type Manifest,
  type Postprocess,
  type Preprocess,
  type Processing,
  parseManifest,
  type TensorSpec,
} from './manifest.ts'
export { ManifestInvalid } from './manifest-fields.ts'
export { type Message, readMessages } from './messages.ts'
export { versionOf } from './model-files.ts'
export { OnnxInvalid, readOnnx } from './onnx-file.ts'
export { inspectOnnx, type OnnxInspection } from './onnx-inspection.ts'
export { readOnnxMetadata, TOKENIZER } from './onnx-metadata.ts'
export { outputSchema, type Schema, scoreCount, vectorWidth } from './output-schema.ts'
export { isOneRow, processingFault, scoresOf, shapeOf as preprocessedShape } from './processing-fault.ts'
export { type Accelerator, accelerators, type Provider, providers } from './provider.ts'
export {
  formatOf as tensorFormatOf,
  isTensorFormat,
  STORED_AS,
  TENSOR_FORMATS,
  type TensorFormat,
} from './tensor-files/format.ts'
export { npyBytes } from './tensor-files/npy.ts'
export { NO_STRINGS } from './tensor-files/safetensors.ts'
export { readTensorFile, tensorFileParts } from './tensor-files/tensor-file.ts'
export { isLength } from './tensor-limits.ts'
export {
  InputInvalid,
  listParts,
  type NamedTensors,
  readTensors,
  type Tensor,
  tensorParts,
  writeTensors,
} from './tensors.ts'
export { type InputTexts, MOST_TEXTS, readTexts } from './texts.ts'
export { readUtf8, withoutMark } from './utf8.ts'
