export * from './catalogue.ts'
export { checkInput, checkTensors } from './check-input.ts'
export { readDataUri } from './data-uri.ts'
export { type Dtype, type ElementArray, type Elements, elements } from './dtype.ts'
export { excerpt } from './excerpt.ts'
export {
  type InputFormat,
  type Manifest,
  type Postprocess,
  type Preprocess,
  type Processing,
  parseManifest,
  type TensorSpec,
} from './manifest.ts'
export { type NumbersPreprocess, readNumbers } from './numbers.ts'
export { OnnxInvalid, readOnnx } from './onnx-file.ts'
export { InputInvalid, type NamedTensors, readTensors, type Tensor, writeTensors } from './tensors.ts'
