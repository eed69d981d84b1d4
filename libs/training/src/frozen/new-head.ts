/** A head of one layer for features: what logistic regression fits. It is a model of its own while it is trained. */
import { create, toBinary } from '@bufbuild/protobuf'
import { ModelProtoSchema, type ValueInfoProto, ValueInfoProtoSchema } from '@millhand/api/gen/onnx/onnx-ml_pb.ts'
import { openGraphWriter } from '../graph-writer.ts'
import type { TrainableModel } from '../run/trainable-model.ts'
import { TrainingRefused } from '../training-refused.ts'

/** The name of its input. */
export const FEATURES = 'frozen/features'
const SCORES = 'scores'
/** Of the head alone, in which Gemm has had its form since version 13. */
const OPSET = 13n
const IR_VERSION = 8n

/** Of its file, beside the weights. */
const OTHER_BYTES = 4_096

/**
 * The loss has one minimum, so that it may begin anywhere: all weights are 0. Throws `TrainingRefused` where it has more
 * bytes than `most`.
 */
export function newHead(
  width: number,
  labels: readonly string[],
  most: number,
): { readonly bytes: Uint8Array; readonly model: TrainableModel } {
  const writer = openGraphWriter(Number(OPSET))
  const classes = labels.length
  if ((width + 1) * classes * Float32Array.BYTES_PER_ELEMENT + OTHER_BYTES > most)
    throw new TrainingRefused(`a head for ${classes} classes on ${width} features would make the model too large`)
  const zeros = (...shape: readonly number[]) => ({
    dtype: 'float32' as const,
    shape,
    data: new Float32Array(shape.reduce((product, length) => product * length, 1)),
  })
  writer.initializer('head/weights', zeros(width, classes))
  writer.initializer('head/bias', zeros(classes))
  writer.graph.name = 'head'
  writer.graph.input.push(rowsOf(FEATURES, width))
  writer.graph.output.push(rowsOf(writer.add('Gemm', [FEATURES, 'head/weights', 'head/bias'], {}, SCORES), classes))
  const spec = (name: string, length: number) => ({ name, dtype: 'float32' as const, shape: [-1, length] })
  return {
    bytes: toBinary(
      ModelProtoSchema,
      create(ModelProtoSchema, {
        irVersion: IR_VERSION,
        opsetImport: [{ domain: '', version: OPSET }],
        graph: writer.graph,
      }),
    ),
    model: { inputs: [spec(FEATURES, width)], outputs: [spec(SCORES, classes)], labels },
  }
}

/** Any number of rows of this length. */
const rowsOf = (name: string, length: number): ValueInfoProto =>
  create(ValueInfoProtoSchema, {
    name,
    type: {
      value: {
        case: 'tensorType',
        value: {
          elemType: 1,
          shape: {
            dim: [
              { value: { case: 'dimParam', value: 'rows' } },
              { value: { case: 'dimValue', value: BigInt(length) } },
            ],
          },
        },
      },
    },
  })
