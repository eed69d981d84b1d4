export * from './catalogue.ts'
export { checkInput, checkTensors, type NumbersPreprocess, readNumbers } from './check-input.ts'
export { checkHead, readBytesUri, readDataUri } from './data-uri.ts'
export { type Dtype, type ElementArray, type Elements, elements, isDtype } from './dtype.ts'
export { excerpt } from './excerpt.ts'
export { checkInputFile, INPUT_HEAD_BYTES, readUtf8 } from './input-file.ts'
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
export { OnnxInvalid, readOnnx } from './onnx-file.ts'
export { inspectOnnx, type OnnxInspection } from './onnx-inspection.ts'
export { outputSchema, type Schema, scoreCount, vectorWidth } from './output-schema.ts'
export { processingFault } from './processing-fault.ts'
export { type Accelerator, accelerators, type Provider, providers } from './provider.ts'
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
