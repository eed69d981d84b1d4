/** WAV recordings from hostile bytes. Nothing is set aside by what a header claims. */
import { InputInvalid } from '@millhand/model'

export interface Recording {
  /** Samples a second. */
  readonly rate: number
  /** From -1 to 1, channels mixed into one; floats that pass 1 are made smaller, all of them. */
  readonly samples: Float32Array
}

interface Format {
  readonly float: boolean
  readonly channels: number
  readonly rate: number
  readonly bits: number
}

const PCM = 1
const FLOAT = 3
const EXTENSIBLE = 0xfffe
/**
 * Programs that stream don't know the length and write 0 or the most they can (espeak-ng 0x7ffff000, ffmpeg 0xffffffff):
 * then the data goes on to the end of the file.
 */
const UNKNOWN_LENGTH = 0x7ffff000
const MAX_CHANNELS = 32

/**
 * PCM of 8, 16, 24 or 32 bits, or float of 32 or 64; any rate from 1 to 384 kHz; no longer than `mostSeconds`. Throws
 * `InputInvalid`.
 */
export function readWav(file: Buffer, mostSeconds = Number.POSITIVE_INFINITY): Recording {
  let format: Format | undefined
  for (let at = 12; at + 8 <= file.length; ) {
    const name = file.toString('latin1', at, at + 4)
    const length = file.readUInt32LE(at + 4)
    const start = at + 8
    if (name === 'data') {
      if (!format) throw new InputInvalid('the WAV file has no format before its data')
      const data = dataOf(file, start, length)
      const seconds = data.length / ((format.bits / 8) * format.channels * format.rate)
      if (seconds > mostSeconds) throw new InputInvalid(`the recording is longer than ${mostSeconds / 60} minutes`)
      return { rate: format.rate, samples: mix(data, format) }
    }
    if (name === 'fmt ') format = readFormat(file.subarray(start, start + length))
    at = nextChunk(file, start + length)
  }
  throw new InputInvalid('the WAV file has no data')
}

/** Chunks begin at even places, which some programs do not know. */
function nextChunk(file: Buffer, end: number): number {
  const isPadded = end % 2 === 1 && !(isName(file, end) && !isName(file, end + 1))
  return isPadded ? end + 1 : end
}

/** Whether a chunk may begin there: its name is four letters, digits or blanks. */
const isName = (file: Buffer, at: number) => /^[A-Za-z][\w ]{3}$/.test(file.toString('latin1', at, at + 4))

/** Whether the rest of a file is chunks, each as long as it says. */
function isOfChunks(file: Buffer, start: number): boolean {
  let at = start
  while (at + 8 <= file.length && isName(file, at)) at = nextChunk(file, at + 8 + file.readUInt32LE(at + 4))
  return at > start && at >= file.length && at <= file.length + 1
}

function dataOf(file: Buffer, start: number, length: number): Buffer {
  const there = file.length - start
  if (length === 0 && isOfChunks(file, start)) return file.subarray(start, start)
  if (length === 0 || length >= UNKNOWN_LENGTH) return file.subarray(start)
  if (length > there) throw new InputInvalid(`the WAV file is cut off: ${length} bytes of sound, ${there} are there`)
  return file.subarray(start, start + length)
}

function readFormat(chunk: Buffer): Format {
  if (chunk.length < 16) throw new InputInvalid('the format of the WAV file is cut off')
  const tag = chunk.readUInt16LE(0)
  const code = tag === EXTENSIBLE && chunk.length >= 26 ? chunk.readUInt16LE(24) : tag
  const [channels, rate, bits] = [chunk.readUInt16LE(2), chunk.readUInt32LE(4), chunk.readUInt16LE(14)]
  const known = (code === PCM && [8, 16, 24, 32].includes(bits)) || (code === FLOAT && [32, 64].includes(bits))
  if (!known) throw new InputInvalid(`the WAV encoding ${code} with ${bits} bits is not read; give PCM or float`)
  if (channels < 1 || channels > MAX_CHANNELS) throw new InputInvalid(`the WAV file has ${channels} channels`)
  if (rate < 1000 || rate > 384_000) throw new InputInvalid(`the WAV file has ${rate} samples a second`)
  const [byteRate, frame, packed] = [chunk.readUInt32LE(8), chunk.readUInt16LE(12), (channels * bits) / 8]
  // Many programs write a wrong one. Where the byte rate agrees with it, nobody knows where in it the samples are.
  if (frame > packed && frame % channels === 0 && byteRate === rate * frame)
    throw new InputInvalid(
      `the WAV file has a block align of ${frame}, and ${channels} channels of ${bits} bits are ${packed} bytes`,
    )
  return { float: code === FLOAT, channels, rate, bits }
}

function mix(data: Buffer, { float, channels, bits }: Format): Float32Array {
  const bytes = bits / 8
  const sample = sampler(data, float, bytes)
  const samples = new Float32Array(Math.floor(data.length / (bytes * channels)))
  let peak = 1
  for (let index = 0; index < samples.length; index++) {
    let sum = 0
    for (let channel = 0; channel < channels; channel++) sum += sample((index * channels + channel) * bytes)
    const mean = sum / channels
    samples[index] = Number.isFinite(mean) ? mean : 0
    peak = Math.max(peak, Math.abs(samples[index] as number))
  }
  // Some programs write integers as floats, of up to 32 bits, and others let loud places pass 1. What is louder is broken.
  const full = peak <= 2 ** 31 ? peak : 1
  return peak === 1 ? samples : samples.map(value => Math.min(Math.max(value / full, -1), 1))
}

function sampler(data: Buffer, float: boolean, bytes: number): (at: number) => number {
  if (float) return bytes === 8 ? at => data.readDoubleLE(at) : at => data.readFloatLE(at)
  // 8 bits are the only ones without a sign.
  if (bytes === 1) return at => ((data[at] as number) - 128) / 128
  const full = 2 ** (bytes * 8 - 1)
  return at => data.readIntLE(at, bytes) / full
}
