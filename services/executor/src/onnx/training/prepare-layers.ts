/** Adapters on the upper layers of a sentence encoder, and a new head. What the lower layers make is computed once. */
import {
  type ExampleSet,
  type FrozenBase,
  type Layers,
  MOST_MODEL_BYTES,
  newHead,
  openNewClasses,
  ParametersInvalid,
  type TrainingParameters,
  TrainingRefused,
  takeExamples,
} from '@millhand/training'
import type { HeadOptions } from './prepare-head.ts'
import { featureReports, openOnOneThread, type PreparedRun, type RunDeps, readSet } from './prepared-run.ts'
import { stateReader } from './state-reader.ts'

/** Of a batch, filled up. A step of 2,048 tokens of 384 numbers takes about 300 MiB. */
const MOST_BATCH_TOKENS = 2_048

/** An attempt that goes on computes what the lower layers make again, and it is the same. */
export async function prepareLayers(
  { base, baseBytes, model, read, examples, parameters }: HeadOptions,
  deps: RunDeps,
): Promise<PreparedRun> {
  const layers = base.layers()
  const session = await openOnOneThread(layers.lower())
  const inputs = stateReader({ session, layers, read, onExample: featureReports(deps) })
  const targets = openNewClasses()
  const set = await readSet(examples, { model, parameters, inputs, targets })
  await session.close()
  checkBatch(parameters, inputs.tokens())
  const labels = targets.labels()
  const head = newHead(await widthOf(layers, base, set), labels, MOST_MODEL_BYTES - baseBytes)
  const { bytes, headWeights, whole } = layers.withHead(head.bytes)
  return { ...{ bytes, model: head.model, examples: set }, besideAdapters: headWeights, labels, keep: whole }
}

function checkBatch({ batch_size: size }: TrainingParameters, tokens: number): void {
  if (size * tokens <= MOST_BATCH_TOKENS) return
  const most = Math.floor(MOST_BATCH_TOKENS / tokens)
  const message = `must be at most ${most}: the longest text has ${tokens} tokens, and a batch may have ${MOST_BATCH_TOKENS}`
  throw new ParametersInvalid([{ path: 'parameters.batch_size', message }])
}

/** The numbers that the head takes: those that the upper layers make of the first example. */
async function widthOf(layers: Layers, { features }: FrozenBase, { inputs }: ExampleSet): Promise<number> {
  const session = await openOnOneThread(layers.upper())
  const first = [...inputs].map(([name, tensor]) => [name, takeExamples(tensor, Uint32Array.of(0))] as const)
  const { dtype, shape } = (await session.run(new Map(first))).get(features) ?? { shape: [] }
  await session.close()
  const [rows, width = 0] = shape
  if (dtype === 'float32' && shape.length === 2 && rows === 1 && width > 0) return width
  throw new TrainingRefused(`its features have the shape [${shape}] for one example; a row of float32 is needed`)
}
