/** Tensors in the form of ONNX files (TensorProto), and back. */
import { create } from '@bufbuild/protobuf'
import { type TensorProto, TensorProtoSchema, TensorProto_DataType as Type } from '@millhand/api/gen/onnx/onnx-ml_pb.ts'
import { type Dtype, type Elements, isLength, type Tensor } from '@millhand/model'
import { TrainingRefused } from './training-refused.ts'

/** Element types that a graph which is trained may hold. */
const arrays = {
  float32: { type: Type.FLOAT, of: Float32Array },
  float64: { type: Type.DOUBLE, of: Float64Array },
  int32: { type: Type.INT32, of: Int32Array },
  int64: { type: Type.INT64, of: BigInt64Array },
  uint8: { type: Type.UINT8, of: Uint8Array },
  bool: { type: Type.BOOL, of: Uint8Array },
} as const

/** Throws `TrainingRefused` for elements of another type, and where the data are not as many as the shape says. */
export function readTensor(tensor: TensorProto): Tensor {
  const [dtype, array] = Object.entries(arrays).find(([, { type }]) => type === tensor.dataType) ?? []
  if (!dtype || !array) {
    throw new TrainingRefused(`the initializer "${tensor.name}" has elements of type ${tensor.dataType}`)
  }
  const shape = tensor.dims.map(Number)
  const data = tensor.rawData.length > 0 ? fromRaw(tensor.rawData, array.of) : fromFields(tensor, array.of)
  if (!shape.every(isLength) || data.length !== elementCount(shape)) {
    throw new TrainingRefused(`the initializer "${tensor.name}" has other elements than its shape says`)
  }
  return { dtype: dtype as Dtype, shape, data: data as Elements }
}

export function writeTensor(name: string, { dtype, shape, data }: Tensor): TensorProto {
  const { type } = arrays[dtype as keyof typeof arrays]
  const { buffer, byteOffset, byteLength } = data as Float32Array
  return create(TensorProtoSchema, {
    name,
    dataType: type,
    dims: shape.map(BigInt),
    rawData: new Uint8Array(buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer),
  })
}

export const elementCount = (shape: readonly number[]): number => shape.reduce((product, length) => product * length, 1)

type ArrayType = (typeof arrays)[keyof typeof arrays]['of']

/** Little-endian, as onnx.proto says of `raw_data`; so is every processor that this runs on. */
function fromRaw(bytes: Uint8Array, array: ArrayType) {
  // A copy in any case: `slice` of a Buffer is none.
  const aligned = new Uint8Array(bytes).buffer
  return new array(aligned, 0, Math.floor(bytes.length / array.BYTES_PER_ELEMENT))
}

function fromFields(tensor: TensorProto, array: ArrayType) {
  if (array === BigInt64Array) return BigInt64Array.from(tensor.int64Data)
  if (array === Float32Array) return Float32Array.from(tensor.floatData)
  if (array === Float64Array) return Float64Array.from(tensor.doubleData)
  return (array as typeof Int32Array).from(tensor.int32Data)
}

/** TensorProto.DataType of an element type. */
export const typeOf = (dtype: Dtype): number => {
  const known = arrays[dtype as keyof typeof arrays]
  if (!known) throw new TrainingRefused(`an input has elements of ${dtype}`)
  return known.type
}
