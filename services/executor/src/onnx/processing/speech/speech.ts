/** Where someone speaks in a recording, by a Silero model of version 5 or later. */

import type { RunItem } from '@millhand/child-process'
import { InputInvalid, type Tensor } from '@millhand/model'
import { openSession, type Session } from '@millhand/onnxruntime'
import type { LoadMessage } from '../../protocol.ts'
import { recordingOf } from '../input.ts'
import { type Emit, oneByOne, type Processor } from '../processor.ts'
import { resample } from './resample.ts'
import { DEFAULTS, type Segment, type SegmentOptions, segmenter } from './segments.ts'
import { readWav } from './wav.ts'

const RATE = 16_000
/** Samples of a frame, and of the one before that the model sees again. */
const FRAME = 512
const CONTEXT = 64
const STATE = [2, 1, 128]
const FRAMES_A_REPORT = 256
const MAX_SECONDS = 3600

export async function openSpeech(message: LoadMessage): Promise<Processor> {
  const session = await openSession(message.files.model as string, message)
  return oneByOne((item, emit) => find(session, item, emit))
}

async function find(session: Session, item: RunItem, emit: Emit): Promise<string> {
  const options = readOptions(item.parameters)
  const { rate, samples } = readWav(await recordingOf(item.input), MAX_SECONDS)
  const seconds = samples.length / rate
  const heard = resample(samples, rate, RATE)
  const frames = Math.ceil(heard.length / FRAME)
  const { hear, end } = segmenter((FRAME / RATE) * 1000, options)
  const found: Segment[] = []
  const give = async (final: readonly Segment[]) => {
    found.push(...final)
    for (const segment of final) await emit({ kind: 'output', json: JSON.stringify(toAnswer(segment)) })
  }
  let frame = 0
  for await (const probability of speechProbabilities(session, heard)) {
    await give(hear(probability))
    frame++
    if (frame % FRAMES_A_REPORT === 0) await emit({ kind: 'progress', fraction: frame / frames })
  }
  await give(end(seconds * 1000))
  return JSON.stringify({
    segments: found.map(toAnswer),
    duration_s: toSeconds(seconds * 1000),
    speech_s: toSeconds(found.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0)),
  })
}

/** That there is speech, frame by frame. */
async function* speechProbabilities(session: Session, samples: Float32Array): AsyncGenerator<number> {
  let state: Tensor = { dtype: 'float32', shape: STATE, data: new Float32Array(2 * 128) }
  const sr: Tensor = { dtype: 'int64', shape: [], data: BigInt64Array.of(BigInt(RATE)) }
  for (let from = 0; from < samples.length; from += FRAME) {
    const seen = new Float32Array(CONTEXT + FRAME)
    const start = Math.max(from - CONTEXT, 0)
    seen.set(samples.subarray(start, from + FRAME), start - (from - CONTEXT))
    const input: Tensor = { dtype: 'float32', shape: [1, CONTEXT + FRAME], data: seen }
    const outputs = await session.run(
      new Map([
        ['input', input],
        ['state', state],
        ['sr', sr],
      ]),
    )
    state = outputs.get('stateN') as Tensor
    yield Number(outputs.get('output')?.data[0])
  }
}

function readOptions(parameters: RunItem['parameters']): SegmentOptions {
  const read = (key: string, max: number, otherwise: number) => {
    const value = parameters?.[key] ?? otherwise
    if (typeof value === 'number' && value >= 0 && value <= max) return value
    throw new InputInvalid(`the parameter \`${key}\` must be a number from 0 to ${max}`)
  }
  return {
    threshold: read('threshold', 1, DEFAULTS.threshold),
    minSpeechMs: read('min_speech_ms', 60_000, DEFAULTS.minSpeechMs),
    minSilenceMs: read('min_silence_ms', 60_000, DEFAULTS.minSilenceMs),
    padMs: read('pad_ms', 60_000, DEFAULTS.padMs),
  }
}

const toAnswer = ({ startMs, endMs }: Segment) => ({ start_s: toSeconds(startMs), end_s: toSeconds(endMs) })

const toSeconds = (ms: number) => Math.round(ms) / 1000
