/** What kind of file some bytes are, by a Magika model (https://securityresearch.google/magika). */
import { isUtf8 } from 'node:buffer'
import type { RunItem } from '@millhand/child-process'
import { InputInvalid, type Tensor } from '@millhand/model'
import { openSession, type Session } from '@millhand/onnxruntime'
import type { LoadMessage } from '../../protocol.ts'
import { oneByOne, type Processor } from '../processor.ts'
import { type Config, type FileType, GENERIC, readKnowledge } from './knowledge.ts'
import { readWindows, tokensOf, type Windows } from './windows.ts'

export async function openFileType(message: LoadMessage): Promise<Processor> {
  const { config, types } = await readKnowledge(message.files)
  const session = await openSession(message.files.model as string, message)
  const score = scorer(session, config)
  return oneByOne(async ({ input, parameters }) => {
    const mode = readMode(parameters)
    const windows = await readWindows(input, config.block)
    const tokens = windows.size < config.leastBytes ? undefined : tokensOf(windows, config)
    const decision = tokens ? decide(await score(tokens), mode, config, types) : withoutModel(windows)
    return write(types, decision)
  })
}

/** Where there are too few bytes for the model: text where they are UTF-8. */
function withoutModel({ size, first }: Windows): Decision {
  const label = size === 0 ? GENERIC.empty : isUtf8(first) ? GENERIC.text : GENERIC.binary
  return { label, confidence: 1, modelLabel: null, reason: 'none' }
}

interface Scored {
  readonly label: string
  readonly score: number
}

/**
 * The best label of a file. The model sees one at a time: several at once change scores by up to 0.03, so that a label
 * near its threshold would depend on what stands beside it.
 */
function scorer(session: Session, { labels }: Config) {
  const input = session.inputs[0]?.name ?? ''
  return async (tokens: Int32Array): Promise<Scored> => {
    const tensor: Tensor = { dtype: 'int32', shape: [1, tokens.length], data: tokens }
    const [scores] = [...(await session.run(new Map([[input, tensor]]))).values()]
    if (scores?.dtype !== 'float32' || scores.data.length !== labels.length) {
      throw new Error('its scores are not as many as its labels')
    }
    const all = scores.data as Float32Array
    const best = all.reduce((best, score, at) => (score > (all[best] as number) ? at : best), 0)
    return { label: labels[best] as string, score: all[best] as number }
  }
}

const MODES = ['high_confidence', 'medium_confidence', 'best_guess'] as const
type Mode = (typeof MODES)[number]

function readMode(parameters: RunItem['parameters']): Mode {
  const mode = MODES.find(mode => mode === (parameters?.prediction_mode ?? MODES[0]))
  if (mode === undefined) throw new InputInvalid(`the parameter \`prediction_mode\` must be one of ${MODES.join(', ')}`)
  return mode
}

interface Decision {
  readonly label: string
  readonly confidence: number
  readonly modelLabel: string | null
  readonly reason: 'none' | 'low_confidence' | 'overwrite_map'
}

/** A label that is not believed becomes text or binary, whichever it is of. */
function decide(
  { label: modelLabel, score }: Scored,
  mode: Mode,
  { thresholds, threshold, overwrites }: Config,
  types: ReadonlyMap<string, FileType>,
): Decision {
  const label = overwrites.get(modelLabel) ?? modelLabel
  const confidence = Math.min(1, Math.round(score * 1e6) / 1e6)
  const least = {
    high_confidence: thresholds.get(modelLabel) ?? threshold,
    medium_confidence: threshold,
    best_guess: Number.NEGATIVE_INFINITY,
  }[mode]
  if (score >= least) {
    return { label, confidence, modelLabel, reason: label === modelLabel ? 'none' : 'overwrite_map' }
  }
  const generic = types.get(label)?.is_text ? GENERIC.text : GENERIC.binary
  return { label: generic, confidence, modelLabel, reason: generic === modelLabel ? 'none' : 'low_confidence' }
}

function write(types: ReadonlyMap<string, FileType>, { label, confidence, modelLabel, reason }: Decision): string {
  const { media_type, group, description, extensions, is_text } = types.get(label) as FileType
  return JSON.stringify({
    label,
    media_type,
    group,
    description,
    extensions,
    is_text,
    confidence,
    model_label: modelLabel,
    overwrite_reason: reason,
  })
}
