/** A sentence encoder with few weights, by seed. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { ModelProtoSchema, NodeProtoSchema } from '@millhand/api/gen/onnx/onnx-ml_pb.ts'
import type { Tensor } from '@millhand/model'
import { type Network, openNetwork } from '../network.fixture.ts'
import { affine, layerNormalized } from '../networks.fixture.ts'

/** Vectors of 8 numbers, of 20 words, in so many layers of one head of attention each. */
export function smallEncoder({ layers }: { readonly layers: number }): Uint8Array {
  const network = openNetwork({ seed: 11 })
  const ids = network.input('input_ids', [1, 1], [0])
  const mask = network.input('attention_mask', [1, 1], [0])
  const number = (value: number) => network.constant({ dtype: 'float32', shape: [], data: Float32Array.of(value) })
  const present = network.node('Cast', [network.node('Unsqueeze', [mask, network.integers([1])])], { to: 1n })
  const hidden = network.node('Mul', [network.node('Sub', [number(1), present]), number(-10_000)])
  let x = layerNormalized(network, network.node('Gather', [network.weight([20, 8]), ids]))
  for (let layer = 0; layer < layers; layer += 1) {
    x = layerNormalized(network, network.node('Add', [x, attended(network, x, hidden)]))
    const wide = network.node('Gelu', [affine(network, x, 8, 12)])
    x = layerNormalized(network, network.node('Add', [x, affine(network, wide, 12, 8)]))
  }
  const model = fromBinary(ModelProtoSchema, network.bytes(x))
  const output = 'last_hidden_state'
  model.graph?.node.push(create(NodeProtoSchema, { opType: 'Identity', input: [x], output: [output] }))
  for (const each of model.graph?.output ?? []) each.name = output
  for (const { type } of model.graph?.input ?? []) {
    if (type?.value.case !== 'tensorType') continue
    for (const [axis, dim] of (type.value.value.shape?.dim ?? []).entries())
      dim.value = { case: 'dimParam', value: axis === 0 ? 'texts' : 'tokens' }
  }
  return toBinary(ModelProtoSchema, model)
}

/** Texts as its inputs, filled up to the longest. */
export function encoderBatch(texts: readonly (readonly number[])[]): ReadonlyMap<string, Tensor> {
  const tokens = Math.max(...texts.map(({ length }) => length))
  const tensor = (numberAt: (text: readonly number[], at: number) => number): Tensor => ({
    dtype: 'int64',
    shape: [texts.length, tokens],
    data: BigInt64Array.from(
      texts.flatMap(text => Array.from({ length: tokens }, (_, at) => BigInt(numberAt(text, at)))),
    ),
  })
  return new Map([
    ['input_ids', tensor((text, at) => text[at] ?? 0)],
    ['attention_mask', tensor((text, at) => Number(at < text.length))],
  ])
}

function attended(network: Network, x: string, hidden: string): string {
  const [query, key, value] = [1, 2, 3].map(() => affine(network, x, 8, 8)) as [string, string, string]
  const scores = network.node('MatMul', [query, network.node('Transpose', [key], { perm: [0n, 2n, 1n] })])
  const shares = network.node('Softmax', [network.node('Add', [scores, hidden])], { axis: -1n })
  return affine(network, network.node('MatMul', [shares, value]), 8, 8)
}
