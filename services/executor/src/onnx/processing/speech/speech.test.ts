import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Loaded } from '@millhand/child-process'
import { ask, dataUri, fixture, item, shippedModel, start } from '../../models.fixture.ts'
import { resample } from './resample.ts'
import { type WavFormat, writeWav } from './wav.fixture.ts'
import { readWav } from './wav.ts'

/** As `make-speech.ts` put them together: seconds of the two sentences in `speech.wav`. */
const SPOKEN = [
  [0.8, 2.813],
  [4.013, 5.183],
] as const
const TOLERANCE_S = 0.15

const silero = shippedModel('silero-vad')
let model: Loaded
before(async () => {
  model = await start(silero)
})
after(() => model.kill())

const speech = fixture('speech.wav')
const uri = (wav: Buffer) => dataUri('audio/wav', wav)

function assertSpoken(segments: readonly { start_s: number; end_s: number }[], what = 'speech.wav'): void {
  const near = (a: number, b: number) => Math.abs(a - b) <= TOLERANCE_S
  const right =
    segments.length === SPOKEN.length &&
    segments.every(({ start_s, end_s }, index) => {
      const [start, end] = SPOKEN[index] as readonly [number, number]
      return near(start_s, start) && near(end_s, end)
    })
  assert.ok(right, `${what}: ${JSON.stringify(segments)}`)
}

// Between words espeak-ng pauses for up to a quarter of a second.
const sentences = { min_silence_ms: 400 }

test('finds where the two sentences are', async () => {
  const { segments, duration_s, speech_s } = await ask(model, uri(speech), sentences)
  assertSpoken(segments)
  assert.equal(duration_s, Math.round(((speech.length - 44) / 32_000) * 1000) / 1000)
  const sum = segments.reduce(
    (total: number, { start_s, end_s }: { start_s: number; end_s: number }) => total + end_s - start_s,
    0,
  )
  assert.ok(Math.abs(sum - speech_s) < 0.002)
})

test('gives each stretch as soon as it is over', async () => {
  const { rate, samples } = readWav(speech)
  const andSilence = new Float32Array(samples.length + 10 * rate)
  andSilence.set(samples)
  const given: unknown[] = []
  let heard = 0
  const recording = uri(writeWav(andSilence, { rate, channels: 1, bits: 16 }))
  const { items } = await model.run([item(recording, sentences)], async (_, emission) => {
    if (emission.kind === 'progress') heard = emission.fraction
    else if (emission.kind === 'output') given.push({ ...JSON.parse(emission.json), heard })
  })
  const [result] = items
  assert.ok(result?.ok && 'output' in result)
  const { segments } = JSON.parse(result.output.toString())
  assertSpoken(segments)
  assert.deepEqual(
    given,
    segments.map((segment: { end_s: number }) => ({ ...segment, heard: 0 })),
  )
  assert.ok(heard > 0.5)
})

test('finds the same in other rates, channels and encodings', async () => {
  const { rate, samples } = readWav(speech)
  const formats: WavFormat[] = [
    { rate: 8000, channels: 1, bits: 8 },
    { rate: 44_100, channels: 2, bits: 24 },
    { rate: 48_000, channels: 1, bits: -32 },
  ]
  for (const format of formats) {
    const { segments } = await ask(model, uri(writeWav(resample(samples, rate, format.rate), format)), sentences)
    assertSpoken(segments, JSON.stringify(format))
  }
})

test('silence, noise, a tone and nothing are no speech', async () => {
  let state = 1
  const noise = () => {
    state = (state * 48_271) % 2_147_483_647
    return (state / 2_147_483_647 - 0.5) * 0.2
  }
  const sounds: [what: string, samples: Float32Array][] = [
    ['silence', new Float32Array(32_000)],
    ['noise', new Float32Array(32_000).map(noise)],
    ['a tone', new Float32Array(32_000).map((_, index) => 0.3 * Math.sin(index / 5))],
    ['nothing', new Float32Array(0)],
  ]
  for (const [what, samples] of sounds) {
    const answer = await ask(model, uri(writeWav(samples, { rate: 16_000, channels: 1, bits: 16 })))
    assert.deepEqual(answer, { segments: [], duration_s: samples.length / 16_000, speech_s: 0 }, what)
  }
})

test('the example of its manifest has speech', async () => {
  assert.ok((await ask(model, silero.exampleInput as string)).speech_s > 1)
})

test('a lying header, a wrong parameter and no WAV are refused', async () => {
  const invalid = (says: RegExp) => ({ code: 'model_input_invalid', message: says })
  const lying = writeWav([0], { rate: 16_000, channels: 1, bits: 16, claimed: 2_000_000_000 })
  await assert.rejects(ask(model, uri(lying)), invalid(/cut off/))
  await assert.rejects(
    ask(model, uri(speech), { threshold: 'high' }),
    invalid(/`threshold` must be a number from 0 to 1/),
  )
  await assert.rejects(ask(model, uri(Buffer.from('this is no recording'))), invalid(/is no audio\/wav/))
})
