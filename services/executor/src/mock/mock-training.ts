/** What the sandbox says of a training that it does not do: as many reports, and a card of the same form. */
import { createHash } from 'node:crypto'
import type { ModelPackage } from '@millhand/model'
import { checkParameters, isClassName, MOST_CLASSES, trainableModelOf } from '@millhand/training'
import type { MockOutput } from './mock-output.ts'
import type { SeededRandom } from './seeded-random.ts'

/** Reports, however many epochs there are. */
const MOST_REPORTS = 20

export function mockTraining(
  model: ModelPackage,
  dice: SeededRandom,
  input: string,
  asked: Readonly<Record<string, unknown>> = {},
): MockOutput | undefined {
  const { chunks: _, interval_ms: __, chunk: ___, provider: ____, ...known } = asked
  const trainable = trainableModelOf(model)
  const checked = checkParameters(known, trainable)
  if ('problems' in checked) return undefined
  const { parameters } = checked
  const { epochs, learning_rate, validation_split, seed } = parameters
  // Of a file only the beginning is read here. As in a run, one is held out where a share is asked for.
  const examples = Math.max(2, input.trim().split('\n').length)
  const held_out = validation_split > 0 ? Math.max(1, Math.floor(examples * validation_split)) : 0
  const trained_on = examples - held_out
  const batch_size =
    known.batch_size === undefined ? Math.min(parameters.batch_size, trained_on) : parameters.batch_size
  const perEpoch = Math.max(1, Math.floor(trained_on / batch_size))
  const accuracy = dice.between(900, 990) / 1_000
  const curves = Array.from({ length: epochs }, (_, index) => {
    const loss = 2 / (index + 2)
    const validation = held_out > 0 ? { loss, accuracy: accuracy * (1 - 1 / (index + 3)) } : null
    return { epoch: index + 1, step: (index + 1) * perEpoch, learning_rate, loss, validation }
  })
  const last = curves.at(-1)
  const every = Math.ceil(epochs / MOST_REPORTS)
  const card = {
    parent: { model: model.id, digest: model.version },
    data: {
      sha256: createHash('sha256').update(input).digest('hex'),
      bytes: Buffer.byteLength(input),
      ...{ examples, trained_on, held_out },
    },
    parameters: { ...parameters, batch_size },
    curves,
    ...{ best_epoch: epochs, ended: 'completed', metrics: last?.validation ?? null, confusion_matrix: null, seed },
    ...(trainable.base !== undefined && { labels: labelsIn(input) }),
    versions: { sandbox: '1' },
  }
  const outputOf = (own: typeof card) =>
    JSON.stringify({ digest: model.version, metrics: own.metrics ?? {}, card: own })
  const first = curves.slice(0, 1)
  const best = {
    ...card,
    ...{ curves: first, best_epoch: 1, ended: 'cancelled', metrics: first[0]?.validation ?? null },
  }
  const reports = curves.filter(({ epoch }) => epoch % every === 0 || epoch === epochs)
  return {
    output: outputOf(card),
    ...(parameters.on_cancel === 'keep_best' && { best: outputOf(best) }),
    pieces: [],
    trains: true,
    progress: reports.map(({ epoch, step, loss }) => ({
      fraction: epoch / epochs,
      message: `epoch ${epoch} of ${epochs}, step ${step} of ${epochs * perEpoch}`,
      metrics: { step, steps: epochs * perEpoch, epoch, epochs, loss, learning_rate },
    })),
  }
}

/** Those that can be read without a look at the examples. */
function labelsIn(input: string): readonly string[] {
  const found = new Set<string>()
  for (const [, text = '""'] of input.matchAll(/"label"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+|true|false)/g)) {
    const label = String(parsed(text)).trim()
    if (isClassName(label) && found.size < MOST_CLASSES) found.add(label)
  }
  return found.size > 1 ? [...found] : ['a', 'b']
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return ''
  }
}
