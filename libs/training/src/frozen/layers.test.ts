/** An encoder in two parts: together they are the whole, and what is trained is the upper part and the head alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromBinary, toBinary } from '@bufbuild/protobuf'
import { ModelProtoSchema } from '@millhand/api/gen/onnx/onnx-ml_pb.ts'
import type { Tensor } from '@millhand/model'
import { openSessionOf } from '@millhand/onnxruntime'
import { evaluate } from '../gradient-check.fixture.ts'
import { isProduct } from '../model-graph.ts'
import { openNetwork, randomNumbers } from '../network.fixture.ts'
import { affine } from '../networks.fixture.ts'
import { checkParameters } from '../run/check-parameters.ts'
import { randomSteps, trainToEnd } from '../run/run.fixture.ts'
import type { TrainerOptions } from '../run/trainer.ts'
import { TrainingRefused } from '../training-refused.ts'
import { encoderBatch, smallEncoder } from './encoder.fixture.ts'
import { layersFault, openFrozenBase } from './frozen-base.ts'
import type { Layers } from './layers.ts'
import { newHead } from './new-head.ts'

const base = openFrozenBase(smallEncoder({ layers: 3 }), {
  isEncoder: true,
  metadata: new Map([['tokenizer.json', '{}']]),
})
const layers = base.layers()
const texts = [[3, 5, 7, 9, 11], [4, 4], [19]]

const graphOf = (bytes: Uint8Array) => fromBinary(ModelProtoSchema, bytes).graph
const attentionsOf = (bytes: Uint8Array) => graphOf(bytes)?.node.filter(({ opType }) => opType === 'Softmax').length

/** What the upper layers take of these texts. */
async function upperInputs(texts: readonly (readonly number[])[], { states, others, lower }: Layers) {
  const batch = encoderBatch(texts)
  const made = (await evaluate(lower(), batch)).get(states) as Tensor
  return new Map([[states, made], ...others.map(name => [name, batch.get(name) as Tensor] as const)])
}

function assertClose(actual: Tensor | undefined, expected: Tensor | undefined): void {
  assert.deepEqual(actual?.shape, expected?.shape)
  const [found, right] = [actual, expected].map(each => [...((each?.data ?? []) as Float32Array)]) as [
    number[],
    number[],
  ]
  assert.ok(
    found.length > 0 && found.every((value, at) => Math.abs(value - (right[at] as number)) < 1e-5),
    `${found}, not ${right}`,
  )
}

test('both parts together give the features of the whole', async () => {
  const whole = await evaluate(base.featureModel(), encoderBatch(texts))
  const upper = await evaluate(layers.upper(), await upperInputs(texts, layers))
  assertClose(upper.get(base.features), whole.get(base.features))
  assert.deepEqual([attentionsOf(layers.lower()), attentionsOf(layers.upper())], [1, 2])
  assert.deepEqual(layers.others, ['attention_mask'])
})

test('an encoder of fewer layers is cut below them', () => {
  const only = openFrozenBase(smallEncoder({ layers: 1 }), { isEncoder: true, metadata: new Map() }).layers()
  assert.deepEqual([attentionsOf(only.lower()), attentionsOf(only.upper())], [0, 1])
})

test('a model without layers of attention is refused', () => {
  const network = openNetwork()
  const hidden = network.node('Relu', [affine(network, network.input('x', [1, 4]), 4, 8)])
  const bytes = network.bytes(affine(network, hidden, 8, 2))
  const { layers } = openFrozenBase(bytes, { isEncoder: false, metadata: new Map() })
  assert.throws(layers, TrainingRefused)
})

test('weights that are no float32 are refused, and operators that no gradient goes through', () => {
  const edited = (edit: (graph: NonNullable<ReturnType<typeof graphOf>>) => void): string | undefined => {
    const model = fromBinary(ModelProtoSchema, smallEncoder({ layers: 3 }))
    if (model.graph) edit(model.graph)
    return layersFault(toBinary(ModelProtoSchema, model), true)
  }
  assert.equal(
    edited(() => {}),
    undefined,
  )
  const half = edited(({ initializer }) => {
    for (const each of initializer) if (each.dims.length > 1) each.dataType = 10
  })
  assert.match(half ?? '', /MatMul.* has weights of another type than float32/)
  const quantized = edited(({ node }) => {
    for (const each of node) if (isProduct(each.opType)) each.opType = 'MatMulInteger'
  })
  assert.match(quantized ?? '', /no product \(Gemm, MatMul\) with weights/)
  const other = edited(({ node }) => {
    for (const each of node) if (each.opType === 'Gelu') each.opType = 'Mish'
  })
  assert.match(other ?? '', /\(Mish\) is of an operator that is not differentiated/)
})

test('a large graph that no value parts is refused after a bounded search', () => {
  const network = openNetwork()
  const weights = network.weight([4, 4])
  let x = network.input('x', [1, 4])
  for (let layer = 0; layer < 1_500; layer += 1)
    x = network.node('Add', [x, network.node('MatMul', [network.node('Softmax', [x]), weights])])
  x = network.node('MatMul', [x, weights])
  assert.match(layersFault(network.bytes(x), false) ?? '', /graph is too large to find its layers in: \d+ nodes/)
})

/** A run on texts of two to five words: whether one of the first ten words is among them. */
async function trainerOptions(): Promise<{
  readonly options: TrainerOptions
  readonly upper: ReturnType<Layers['withHead']>
}> {
  const random = randomNumbers(5)
  const words = () => Array.from({ length: 2 + Math.floor(random() * 4) }, () => 1 + Math.floor(random() * 19))
  const examples = Array.from({ length: 60 }, words)
  const classes = examples.map(text => (text.some(word => word < 6) ? 1n : 0n))
  const head = newHead(8, ['no', 'yes'], 2 ** 20)
  const upper = layers.withHead(head.bytes)
  const given = { train: 'lora', rank: 2, epochs: 6, batch_size: 8, learning_rate: 0.01, seed: 2 }
  const checked = checkParameters(given, { ...head.model, base: 'text' })
  assert.ok('parameters' in checked, JSON.stringify(checked))
  const options: TrainerOptions = {
    ...{ bytes: upper.bytes, model: head.model, besideAdapters: upper.headWeights, parameters: checked.parameters },
    hasBatchSize: true,
    examples: {
      count: examples.length,
      inputs: await upperInputs(examples, layers),
      targets: { dtype: 'int64', shape: [examples.length, 1], data: BigInt64Array.from(classes) },
      lines: Uint32Array.from(examples, (_, at) => at + 1),
      ...{ column: 'label', sha256: '0', bytes: 1 },
    },
    parent: { model: 'model_parent', digest: 'sha256:0' },
    versions: {},
    open: model => openSessionOf(model, { threads: 1 }),
  }
  return { options, upper }
}

test('a run changes the upper layers and the head, and what is kept gives what was trained', async () => {
  const { options, upper } = await trainerOptions()
  const trainer = await trainToEnd(options)
  const { model, card } = await trainer.finish()
  const first = card.curves[0]?.loss ?? 0
  assert.ok((card.curves.at(-1)?.loss ?? first) < first, JSON.stringify(card.curves))
  const whole = upper.whole(model)
  const scores = await evaluate(model, await upperInputs(texts, layers))
  assertClose((await evaluate(whole, encoderBatch(texts))).get('scores'), scores.get('scores'))
  assert.equal(fromBinary(ModelProtoSchema, whole).metadataProps[0]?.key, 'tokenizer.json')
  const before = new Map(
    graphOf(base.withHead(newHead(8, ['no', 'yes'], 2 ** 20).bytes))?.initializer.map(each => [
      each.name,
      each.rawData,
    ]),
  )
  const changed = graphOf(whole)?.initializer.filter(
    ({ name, rawData }) => Buffer.compare(rawData, before.get(name) ?? Buffer.alloc(0)) !== 0,
  )
  // Six matrices of each of two layers, the weights of the head and its bias.
  assert.equal(changed?.length, 14)
  assert.ok(upper.headWeights.every(name => changed.some(each => each.name === name)))
})

test('three random interruptions change no bit', async t => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  t.diagnostic(`seed ${seed}`)
  const { options } = await trainerOptions()
  const whole = await (await trainToEnd(options)).finish()
  const broken = await (await trainToEnd(options, randomSteps(seed, 3, whole.card.curves.at(-1)?.step ?? 1))).finish()
  assert.ok(Buffer.from(broken.model).equals(whole.model))
  assert.deepEqual(broken.card, whole.card)
})

test('a run that is closed holds no model open', async () => {
  const { options } = await trainerOptions()
  let held = 0
  const open: TrainerOptions['open'] = async model => {
    const session = await options.open(model)
    held += 1
    const close = async () => {
      held -= 1
      await session.close()
    }
    return { run: inputs => session.run(inputs), close }
  }
  const trainer = await trainToEnd({ ...options, open })
  await trainer.finish()
  await trainer.close()
  await trainer.close()
  assert.equal(held, 0)
})
