/** A whole run: it learns, it stops, it goes on from checkpoints, and it says what it did. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromBinary } from '@bufbuild/protobuf'
import { ModelProtoSchema } from '@millhand/api/gen/onnx/onnx-ml_pb.ts'
import type { Tensor } from '@millhand/model'
import { openSessionOf } from '@millhand/onnxruntime'
import { CheckpointInvalid } from '../checkpoint.ts'
import { openNetwork } from '../network.fixture.ts'
import { TrainingRefused } from '../training-refused.ts'
import { ExamplesInvalid } from './example-set.ts'
import { classifier, exampleLines, optionsOf, randomSteps, regressor, trainToEnd, withFreeRows } from './run.fixture.ts'
import { createTrainer, TrainingDiverged } from './trainer.ts'
import { ParametersInvalid } from './training-parameters.ts'

const lines = exampleLines(200)
const parameters = { epochs: 12, batch_size: 16, learning_rate: 0.02, seed: 4, schedule: 'cosine', warmup_steps: 5 }
const run = { ...classifier, lines, parameters }

const predict = async (model: Uint8Array, rows: readonly (readonly number[])[]) => {
  const x: Tensor = { dtype: 'float32', shape: [rows.length, 4], data: Float32Array.from(rows.flat()) }
  const [output] = (await (await openSessionOf(model, { threads: 1 })).run(new Map([['x', x]]))).values()
  return output?.data as Float32Array
}

test('a classifier learns its classes, and its card says how', async () => {
  const options = await optionsOf(run)
  const trainer = await trainToEnd(options)
  const { model, card } = await trainer.finish()
  assert.ok((card.metrics?.accuracy ?? 0) > 0.85, JSON.stringify(card.metrics))
  assert.deepEqual(Object.keys(card.metrics ?? {}), ['loss', 'accuracy', 'f1'])
  assert.equal(card.ended, 'completed')
  assert.deepEqual(
    [card.data.examples, card.data.trained_on, card.data.held_out, card.data.sha256],
    [200, 160, 40, options.examples.sha256],
  )
  assert.equal(card.curves.length, 12)
  assert.deepEqual(card.curves.map(({ step }) => step).slice(0, 2), [10, 20])
  const losses = card.curves.map(({ validation }) => validation?.loss ?? Number.NaN)
  assert.equal(card.best_epoch, losses.indexOf(Math.min(...losses)) + 1)
  const inCurves = Object.entries(card.metrics ?? {}).map(([name, value]) => [name, Number(value.toPrecision(5))])
  assert.deepEqual(Object.fromEntries(inCurves), card.curves[(card.best_epoch ?? 0) - 1]?.validation)
  assert.deepEqual(card.confusion_matrix?.labels, ['low', 'middle', 'high'])
  assert.equal(
    card.confusion_matrix?.counts.flat().reduce((sum, count) => sum + count, 0),
    40,
  )
  assert.deepEqual([card.seed, card.versions, card.parent.model], [4, { millhand: '0.1.0' }, 'model_parent'])
  const scores = await predict(model, [
    [0.9, -0.9, -0.9, 0],
    [-0.9, 0.9, -0.9, 0],
    [-0.9, -0.9, 0.9, 0],
  ])
  const classes = [0, 3, 6].map(at => [...scores.subarray(at, at + 3)]).map(row => row.indexOf(Math.max(...row)))
  assert.deepEqual(classes, [0, 1, 2])
})

test('numbers are fitted', async () => {
  const numbers = { loss: 'mean_squared', epochs: 40, batch_size: 16, learning_rate: 0.01, metrics: ['r2', 'rmse'] }
  const trainer = await trainToEnd(
    await optionsOf({ ...regressor, lines: exampleLines(300, 'target'), parameters: numbers }),
  )
  const { card } = await trainer.finish()
  assert.ok((card.metrics?.r2 ?? 0) > 0.9, JSON.stringify(card.metrics))
  assert.ok(Math.abs((card.metrics?.rmse ?? 0) ** 2 - (card.metrics?.loss ?? 0)) < 1e-12)
  assert.equal(card.confusion_matrix, null)
})

for (const train of ['all', 'head', 'lora']) {
  test(`three random interruptions change no bit: ${train}`, async t => {
    const seed = Math.floor(Math.random() * 2 ** 31)
    t.diagnostic(`seed ${seed}`)
    const options = await optionsOf({ ...run, parameters: { ...parameters, epochs: 5, train } })
    const whole = await (await trainToEnd(options)).finish()
    const broken = await (await trainToEnd(options, randomSteps(seed, 3, 50))).finish()
    assert.ok(Buffer.from(broken.model).equals(whole.model))
    assert.deepEqual(broken.card, whole.card)
  })
}

test('a model that lies anywhere in a Buffer is the same model', async () => {
  const parts = { ...run, parameters: { ...parameters, epochs: 1 } }
  const bytes = Buffer.concat([Buffer.alloc(3), classifier.bytes]).subarray(3)
  const [first, second] = await Promise.all(
    [parts, { ...parts, bytes }].map(async each => (await (await trainToEnd(await optionsOf(each))).finish()).model),
  )
  assert.ok(Buffer.from(second as Uint8Array).equals(first as Uint8Array))
})

test('the seed alone makes another run', async () => {
  const models = await Promise.all(
    [1, 1, 2].map(async seed => {
      const trainer = await trainToEnd(await optionsOf({ ...run, parameters: { ...parameters, epochs: 2, seed } }))
      return Buffer.from((await trainer.finish()).model)
    }),
  )
  assert.ok(models[0]?.equals(models[1] as Buffer))
  assert.ok(!models[0]?.equals(models[2] as Buffer))
})

test('a run stops early and keeps its best weights, also over an interruption', async () => {
  // A learning rate at which the loss soon grows again.
  const stopping = {
    ...parameters,
    epochs: 60,
    learning_rate: 0.3,
    schedule: 'constant',
    early_stopping: { patience: 2 },
  }
  const options = await optionsOf({ ...run, parameters: stopping })
  const trainer = await trainToEnd(options)
  const { model, card } = await trainer.finish()
  assert.equal(card.ended, 'early_stopping')
  assert.ok(card.curves.length < 60)
  assert.equal(card.curves.length, (card.best_epoch ?? 0) + 2)
  const best = await createTrainer(options)
  while (best.progress().step < (card.best_epoch ?? 0) * 10) await best.step()
  assert.ok(Buffer.from((await best.finish()).model).equals(model))
  const stopped = await createTrainer({ ...options, restore: trainer.checkpoint() })
  assert.equal(stopped.progress().done, true)
  await assert.rejects(stopped.step(), /has ended/)
  assert.ok(Buffer.from((await stopped.finish()).model).equals(model))
})

test('a run that is cancelled gives what it has', async () => {
  const trainer = await createTrainer(await optionsOf(run))
  for (let step = 0; step < 13; step += 1) await trainer.step()
  const { card } = await trainer.finish()
  assert.deepEqual([card.ended, card.best_epoch, card.curves.length], ['cancelled', 1, 1])
  const early = await createTrainer(await optionsOf(run))
  assert.equal((await early.finish()).card.best_epoch, null)
})

test('without a held-out part the last weights are kept', async () => {
  const options = await optionsOf({ ...run, parameters: { ...parameters, epochs: 2, validation_split: 0 } })
  const { card } = await (await trainToEnd(options)).finish()
  assert.deepEqual([card.best_epoch, card.metrics, card.confusion_matrix], [null, null, null])
  assert.deepEqual(
    card.curves.map(({ validation }) => validation),
    [null, null],
  )
})

test('progress says where the run is', async () => {
  const trainer = await createTrainer(await optionsOf(run))
  const { loss, learningRate, lastEpoch, ...before } = trainer.progress()
  assert.deepEqual(before, { step: 0, steps: 120, epoch: 0, epochs: 12, examples: 0, bestEpoch: 0, done: false })
  assert.deepEqual([loss, learningRate, lastEpoch], [undefined, undefined, undefined])
  const first = await trainer.step()
  assert.deepEqual([first.step, first.epoch, first.examples, first.learningRate], [1, 1, 16, 0.02 / 5])
  assert.ok((first.loss ?? 0) > 0)
  while (trainer.progress().step < 10) await trainer.step()
  assert.deepEqual([trainer.progress().lastEpoch?.epoch, trainer.progress().bestEpoch], [1, 1])
  assert.equal((await trainer.step()).epoch, 2)
})

test('only the head is trained, or what is added to products', async () => {
  const options = await optionsOf({ ...run, parameters: { ...parameters, train: 'head' } })
  const head = await (await trainToEnd(options)).finish()
  assert.ok((head.card.metrics?.loss ?? 9) < ((await (await createTrainer(options)).finish()).card.metrics?.loss ?? 0))
  const lora = await optionsOf({ ...run, parameters: { ...parameters, train: 'lora', rank: 2 } })
  const begun = await createTrainer(lora)
  // The adapters begin at nothing. Their model is written with its fields in another order.
  const untrained = (trained: { readonly model: Uint8Array }) => fromBinary(ModelProtoSchema, trained.model)
  assert.deepEqual(untrained(await begun.finish()), untrained(await (await createTrainer(options)).finish()))
  const adapted = await (await trainToEnd(lora)).finish()
  assert.ok((adapted.card.metrics?.accuracy ?? 0) > 0.7, JSON.stringify(adapted.card.metrics))
})

test('a checkpoint of another run, or one that is damaged, is refused', async () => {
  const options = await optionsOf(run)
  const bytes = (await createTrainer(options)).checkpoint()
  const others = [
    optionsOf({ ...run, parameters: { ...parameters, seed: 5 } }),
    optionsOf({ ...run, lines: exampleLines(199) }),
  ]
  for (const other of others) {
    await assert.rejects(createTrainer({ ...(await other), restore: bytes }), CheckpointInvalid)
  }
  await assert.rejects(createTrainer({ ...options, restore: bytes.subarray(1) }), CheckpointInvalid)
})

test('what does not go with the examples or the model is told before the first step', async () => {
  const large = await optionsOf({ ...run, parameters: { batch_size: 161 } })
  await assert.rejects(createTrainer(large), (error: unknown) => {
    assert.ok(error instanceof ParametersInvalid)
    const message = 'must be at most 160, as many examples as are trained on, for 40 are held out'
    assert.deepEqual(error.problems, [{ path: 'parameters.batch_size', message }])
    return true
  })
  // The record of the model does not say how many classes there are.
  const unknown = { ...classifier.model, outputs: [{ name: 'y', dtype: 'float32', shape: [-1, -1] }] } as const
  const beyond = await optionsOf({ ...run, model: unknown, lines: `${lines}{"input":[1,1,1,1],"label":3}\n` })
  await assert.rejects(createTrainer(beyond), (error: unknown) => {
    assert.ok(error instanceof ExamplesInvalid)
    assert.equal(error.message, 'line 201, column `label`: is 3; the model has classes from 0 to 2')
    return true
  })
  await assert.rejects(createTrainer({ ...(await optionsOf(run)), bytes: new Uint8Array() }), TrainingRefused)
  const network = openNetwork()
  const sum = network.node('ReduceSum', [network.node('MatMul', [network.input('x', [2, 4]), network.weight([4, 3])])])
  const bytes = withFreeRows(network.bytes(sum))
  const oneOutput = await optionsOf({
    ...regressor,
    bytes,
    lines: exampleLines(200, 'target'),
    parameters: { loss: 'mean_squared' },
  })
  await assert.rejects(createTrainer(oneOutput), /has shape \[1, 1\] for 32 examples; its first axis has to be theirs/)
})

test('without a batch size a run on few examples takes all that are trained on as one batch', async () => {
  for (const train of ['all', 'head', 'lora']) {
    const options = await optionsOf({ ...run, lines: exampleLines(20), parameters: { train, epochs: 3, seed: 4 } })
    const { card, model } = await (await trainToEnd(options)).finish()
    assert.deepEqual([card.data.trained_on, card.parameters.batch_size], [16, 16])
    assert.deepEqual(
      card.curves.map(({ step }) => step),
      [1, 2, 3],
    )
    const interrupted = await (await trainToEnd(options, [2])).finish()
    assert.ok(Buffer.from(interrupted.model).equals(model))
  }
  const many = await createTrainer(await optionsOf({ ...run, parameters: { epochs: 1 } }))
  assert.equal(many.progress().steps, 5)
})

test('a loss that is no number ends the run with what helps', async () => {
  const wild = {
    ...parameters,
    optimizer: 'sgd',
    loss: 'mean_squared',
    learning_rate: 10,
    schedule: 'constant',
    validation_split: 0,
    epochs: 1000,
  }
  const trainer = await createTrainer(
    await optionsOf({ ...regressor, lines: exampleLines(100, 'target'), parameters: wild }),
  )
  await assert.rejects(async () => {
    while (!trainer.progress().done) await trainer.step()
  }, TrainingDiverged)
})
