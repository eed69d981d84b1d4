/** Makes WAV files for tests. */
export interface WavFormat {
  readonly rate: number
  readonly channels: number
  /** Negative for float. */
  readonly bits: 8 | 16 | 24 | 32 | -32 | -64
  /** What the header says the data has, in bytes; the truth unless given. */
  readonly claimed?: number
}

/** The same samples (-1 to 1) in every channel. */
export function writeWav(samples: ArrayLike<number>, { rate, channels, bits, claimed }: WavFormat): Buffer {
  const bytes = Math.abs(bits) / 8
  const data = Buffer.alloc(samples.length * channels * bytes)
  for (let index = 0; index < samples.length * channels; index++) {
    writeSample(data, index * bytes, bits, samples[Math.floor(index / channels)] as number)
  }
  const head = Buffer.alloc(44)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(36 + data.length, 4)
  head.write('WAVEfmt ', 8, 'latin1')
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(bits < 0 ? 3 : 1, 20)
  head.writeUInt16LE(channels, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE((rate * channels * bytes) >>> 0, 28)
  head.writeUInt16LE(channels * bytes, 32)
  head.writeUInt16LE(Math.abs(bits), 34)
  head.write('data', 36, 'latin1')
  head.writeUInt32LE(claimed ?? data.length, 40)
  return Buffer.concat([head, data])
}

function writeSample(data: Buffer, at: number, bits: WavFormat['bits'], value: number): void {
  if (bits === -32) data.writeFloatLE(value, at)
  else if (bits === -64) data.writeDoubleLE(value, at)
  else if (bits === 8) data.writeUInt8(Math.round(value * 127) + 128, at)
  else data.writeIntLE(Math.round(value * (2 ** (bits - 1) - 1)), at, bits / 8)
}
