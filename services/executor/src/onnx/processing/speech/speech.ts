/** Where someone speaks in a recording, by a Silero model of version 5 or later. */
import { InputInvalid, readDataUri, type Tensor } from '@millhand/model'
import type { Progress, RunItem } from '../../../model-runner.ts'
import type { LoadMessage } from '../../protocol.ts'
import { openSession, type Session } from '../../session.ts'
import { oneByOne, type Processor } from '../processor.ts'
import { resample } from './resample.ts'
import { DEFAULTS, type SegmentOptions, segments } from './segments.ts'
import { readWav } from './wav.ts'

const RATE = 16_000
/** Samples of a frame, and of the one before that the model sees again. */
const FRAME = 512
const CONTEXT = 64
const STATE = [2, 1, 128]
const FRAMES_A_REPORT = 256
const MAX_SECONDS = 3600

export async function openSpeech({ files, threads }: LoadMessage): Promise<Processor> {
  const session = await openSession(files.model as string, threads)
  return oneByOne((item, onProgress) => find(session, item, onProgress))
}

async function find(session: Session, item: RunItem, onProgress: (progress: Progress) => void): Promise<string> {
  const options = readOptions(item.parameters)
  const { rate, samples } = readWav(readDataUri(item.input, 'audio'))
  const seconds = samples.length / rate
  if (seconds > MAX_SECONDS) throw new InputInvalid('the recording is longer than an hour')
  const probabilities = await speechProbabilities(session, resample(samples, rate, RATE), onProgress)
  const found = segments(probabilities, (FRAME / RATE) * 1000, seconds * 1000, options)
  return JSON.stringify({
    segments: found.map(({ startMs, endMs }) => ({ start_s: toSeconds(startMs), end_s: toSeconds(endMs) })),
    duration_s: toSeconds(seconds * 1000),
    speech_s: toSeconds(found.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0)),
  })
}

async function speechProbabilities(
  session: Session,
  samples: Float32Array,
  onProgress: (progress: Progress) => void,
): Promise<number[]> {
  const frames = Math.ceil(samples.length / FRAME)
  const probabilities: number[] = []
  let state: Tensor = { dtype: 'float32', shape: STATE, data: new Float32Array(2 * 128) }
  const sr: Tensor = { dtype: 'int64', shape: [], data: BigInt64Array.of(BigInt(RATE)) }
  for (let frame = 0; frame < frames; frame++) {
    const seen = new Float32Array(CONTEXT + FRAME)
    const start = frame * FRAME - CONTEXT
    const from = Math.max(start, 0)
    seen.set(samples.subarray(from, start + CONTEXT + FRAME), from - start)
    const input: Tensor = { dtype: 'float32', shape: [1, CONTEXT + FRAME], data: seen }
    const outputs = await session.run(
      new Map([
        ['input', input],
        ['state', state],
        ['sr', sr],
      ]),
    )
    probabilities.push(Number(outputs.get('output')?.data[0]))
    state = outputs.get('stateN') as Tensor
    if (frame % FRAMES_A_REPORT === FRAMES_A_REPORT - 1) onProgress({ fraction: (frame + 1) / frames })
  }
  return probabilities
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

const toSeconds = (ms: number) => Math.round(ms) / 1000
