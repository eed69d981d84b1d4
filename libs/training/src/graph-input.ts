/** The declaration of a graph's input: a tensor of a fixed shape. */
import { create } from '@bufbuild/protobuf'
import { type ValueInfoProto, ValueInfoProtoSchema } from '@millhand/api/gen/onnx/onnx-ml_pb.ts'
import type { Dtype } from '@millhand/model'
import type { Shape } from './operations.ts'
import { typeOf } from './tensor-proto.ts'

export const inputOf = (name: string, dtype: Dtype, shape: Shape): ValueInfoProto =>
  create(ValueInfoProtoSchema, {
    name,
    type: {
      value: {
        case: 'tensorType',
        value: {
          elemType: typeOf(dtype),
          shape: { dim: shape.map(length => ({ value: { case: 'dimValue' as const, value: BigInt(length) } })) },
        },
      },
    },
  })
