/** Runs of training that tests make: a small classifier, examples by seed, interruptions. */
import assert from 'node:assert/strict'
import { fromBinary, toBinary } from '@bufbuild/protobuf'
import { ModelProtoSchema } from '@millhand/api/gen/onnx/onnx-ml_pb.ts'
import { openSessionOf } from '@millhand/onnxruntime'
import { openNetwork, randomNumbers } from '../network.fixture.ts'
import { dense } from '../networks.fixture.ts'
import { checkParameters } from './check-parameters.ts'
import { readExamples } from './read-examples.ts'
import type { TrainableModel } from './trainable-model.ts'
import { createTrainer, type Trainer, type TrainerOptions } from './trainer.ts'

/** Three classes of four numbers, with what is random in a step (dropout) and what is no weight (running statistics). */
export const classifier = { bytes: withFreeRows(classifierBytes()), model: modelOf(3, ['low', 'middle', 'high']) }

/** One number of four. */
export const regressor = { bytes: withFreeRows(regressorBytes()), model: modelOf(1) }

function modelOf(width: number, labels?: readonly string[]): TrainableModel {
  const spec = (name: string, shape: readonly number[]) => ({ name, dtype: 'float32', shape }) as const
  return { inputs: [spec('x', [-1, 4])], outputs: [spec('y', [-1, width])], ...(labels && { labels }) }
}

function classifierBytes(): Uint8Array {
  const network = openNetwork({ seed: 2 })
  const first = dense(network, network.input('x', [2, 4]), 4, 8)
  const statistic = (value: number) =>
    network.constant({ dtype: 'float32', shape: [8], data: new Float32Array(8).fill(value) })
  const normalized = network.node('BatchNormalization', [
    ...[first, network.weight([8], 0.9, 1.1), network.weight([8], -0.1, 0.1), statistic(0), statistic(1)],
  ])
  const ratio = network.constant({ dtype: 'float32', shape: [], data: Float32Array.of(0.1) })
  const hidden = network.node('Dropout', [network.node('Relu', [normalized]), ratio])
  return network.bytes(network.node('Softmax', [dense(network, hidden, 8, 3)]))
}

function regressorBytes(): Uint8Array {
  const network = openNetwork({ seed: 3 })
  const hidden = network.node('Tanh', [dense(network, network.input('x', [2, 4]), 4, 8)])
  return network.bytes(dense(network, hidden, 8, 1))
}

/** Any number of rows, as exporters write it. */
export function withFreeRows(bytes: Uint8Array): Uint8Array {
  const model = fromBinary(ModelProtoSchema, bytes)
  for (const { type } of model.graph?.input ?? []) {
    if (type?.value.case !== 'tensorType') continue
    const [rows] = type.value.value.shape?.dim ?? []
    if (rows) rows.value = { case: 'dimParam', value: 'rows' }
  }
  return toBinary(ModelProtoSchema, model)
}

/** JSON Lines: the class is that of the largest of the first three numbers, the target a sum of all four. */
export function exampleLines(count: number, kind: 'label' | 'target' = 'label'): string {
  const random = randomNumbers(7)
  const lines = Array.from({ length: count }, () => {
    const input = Array.from({ length: 4 }, () => Math.round(2000 * random() - 1000) / 1000)
    const [a = 0, b = 0, c = 0, d = 0] = input
    const label = [a, b, c].indexOf(Math.max(a, b, c))
    return JSON.stringify({ input, ...(kind === 'label' ? { label } : { target: a - 2 * b + c * d }) })
  })
  return `${lines.join('\n')}\n`
}

export interface Run {
  readonly bytes: Uint8Array
  readonly model: TrainableModel
  readonly lines: string
  readonly parameters: object
}

export async function optionsOf({ bytes, model, lines, parameters }: Run): Promise<TrainerOptions> {
  const checked = checkParameters(parameters, model)
  assert.ok('parameters' in checked, JSON.stringify(checked))
  const read = { format: 'jsonl', model, parameters: checked.parameters } as const
  return {
    ...{ bytes, model, parameters: checked.parameters, hasBatchSize: 'batch_size' in parameters },
    examples: await readExamples(Buffer.from(lines), read),
    parent: { model: 'model_parent', digest: 'sha256:0' },
    versions: { millhand: '0.1.0' },
    open: model => openSessionOf(model, { threads: 1 }),
  }
}

/** Runs to the end; after each of these steps all but the checkpoint is lost. */
export async function trainToEnd(options: TrainerOptions, interruptions: readonly number[] = []): Promise<Trainer> {
  let trainer = await createTrainer(options)
  for (const last of [...interruptions, Infinity]) {
    while (!trainer.progress().done && trainer.progress().step < last) await trainer.step()
    if (last < Infinity) trainer = await createTrainer({ ...options, restore: trainer.checkpoint() })
  }
  return trainer
}

/** So many different steps, in order. */
export function randomSteps(seed: number, count: number, steps: number): readonly number[] {
  const random = randomNumbers(seed)
  return Array.from({ length: count }, () => Math.floor(random() * steps)).toSorted((a, b) => a - b)
}
