/** Adapters on the upper layers of a sentence encoder, and a new head. What the lower layers make is computed once. */

import { openSessionOf } from '@millhand/onnxruntime'
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
import {
  featureReports,
  type GivenParameters,
  linesOf,
  type PreparedRun,
  type RunDeps,
  readSet,
} from './prepared-run.ts'
import { stateReader } from './state-reader.ts'

/**
 * Of a batch, filled up, so that a run fits 768 MiB. Measured on all-MiniLM-L6-v2 (vectors of 384 numbers) with adam and a
 * fifth held out: 680 texts of 32 tokens with rank 8 hold up to 742 MiB, and 128 of them with rank 64 up to 687.
 */
const MOST_BATCH_TOKENS = 1_024
/** Larger adapters leave room for half of that: with rank 256 and 512 tokens a run holds up to 678 MiB. */
const LARGE_RANK = 64
/** What attention holds of a batch grows with the square of the length: from 128 tokens on a batch has fewer. */
const MOST_BATCH_PAIRS = 2 ** 18

/** In turns of three runs of 2,048 tokens: 606 MiB resident and not 912, in the same time. */
const open = (model: Uint8Array) => openSessionOf(model, { threads: 1, keepsMemory: false })

/** An attempt that goes on computes what the lower layers make again, and it is the same. */
export async function prepareLayers(
  { hasBatchSize, ...options }: HeadOptions & Pick<GivenParameters, 'hasBatchSize'>,
  deps: RunDeps,
): Promise<PreparedRun> {
  const { base, baseBytes, read, examples } = options
  const layers = base.layers()
  const lines = await linesOf(examples, options)
  const session = await open(layers.lower())
  const inputs = stateReader({ session, layers, read, lines, onExample: featureReports(deps) })
  const targets = openNewClasses()
  const set = await readSet(examples, { ...options, inputs, targets })
  await session.close()
  const parameters = withBatchSize(options.parameters, { hasBatchSize, tokens: inputs.tokens() })
  const labels = targets.labels()
  const head = newHead(await widthOf(layers, base, set), labels, MOST_MODEL_BYTES - baseBytes)
  const { bytes, headWeights, whole } = layers.withHead(head.bytes)
  const trained = { bytes, model: head.model, examples: set, parameters, besideAdapters: headWeights, open }
  return { ...trained, labels, keep: whole }
}

/** A default is as large as fits. Throws `ParametersInvalid` for a size of the task's own that does not fit. */
export function withBatchSize(
  parameters: TrainingParameters,
  { hasBatchSize, tokens }: Pick<GivenParameters, 'hasBatchSize'> & { readonly tokens: number },
): TrainingParameters {
  const mostTokens = (parameters.rank ?? 0) > LARGE_RANK ? MOST_BATCH_TOKENS / 2 : MOST_BATCH_TOKENS
  const longest = Math.floor(Math.min(mostTokens, Math.sqrt(MOST_BATCH_PAIRS)))
  if (tokens > longest)
    throw new TrainingRefused(`the longest text has ${tokens} tokens; adapters are trained on at most ${longest}`)
  const most = Math.floor(Math.min(mostTokens / tokens, MOST_BATCH_PAIRS / tokens ** 2))
  if (parameters.batch_size <= most) return parameters
  if (!hasBatchSize) return { ...parameters, batch_size: most }
  const message = `must be at most ${most}: the longest text has ${tokens} tokens, to which all are filled up`
  throw new ParametersInvalid([{ path: 'parameters.batch_size', message }])
}

/** The numbers that the head takes: those that the upper layers make of the first example. */
async function widthOf(layers: Layers, { features }: FrozenBase, { inputs }: ExampleSet): Promise<number> {
  const session = await open(layers.upper())
  const first = [...inputs].map(([name, tensor]) => [name, takeExamples(tensor, Uint32Array.of(0))] as const)
  const { dtype, shape } = (await session.run(new Map(first))).get(features) ?? { shape: [] }
  await session.close()
  const [rows, width = 0] = shape
  if (dtype === 'float32' && shape.length === 2 && rows === 1 && width > 0) return width
  throw new TrainingRefused(`its features have the shape [${shape}] for one example; a row of float32 is needed`)
}
