/** Sound at another rate, by a windowed sinc. */

/** Zero crossings on either side. */
const REACH = 16
/** Places between two samples that the filter is known for; the nearest is taken, which is noise below -50 dB. */
const PHASES = 512

/** The same sound with `to` samples a second. */
export function resample(samples: Float32Array, from: number, to: number): Float32Array {
  if (from === to) return samples
  // Going down, what is above the new band must not fold back into it.
  const cutoff = Math.min(1, to / from)
  const half = Math.ceil(REACH / cutoff)
  const filter = sincTable(cutoff, half)
  const taps = 2 * half
  const out = new Float32Array(Math.floor((samples.length * to) / from))
  for (let index = 0; index < out.length; index++) {
    const place = (index * from) / to
    const whole = Math.floor(place)
    const row = Math.floor((place - whole) * PHASES) * taps
    const first = whole - half + 1
    let sum = 0
    for (let tap = Math.max(0, -first); tap < taps && first + tap < samples.length; tap++) {
      sum += (samples[first + tap] as number) * (filter[row + tap] as number)
    }
    out[index] = sum
  }
  return out
}

/** A row for each phase: sinc under a Hann window, with a sum of 1. */
function sincTable(cutoff: number, half: number): Float32Array {
  const taps = 2 * half
  const table = new Float32Array(PHASES * taps)
  for (let phase = 0; phase < PHASES; phase++) {
    const row = table.subarray(phase * taps, (phase + 1) * taps)
    for (let tap = 0; tap < taps; tap++) {
      const distance = tap - half + 1 - (phase + 0.5) / PHASES
      row[tap] = sinc(distance * cutoff) * Math.cos((Math.PI * distance) / (2 * (half + 1))) ** 2
    }
    const sum = row.reduce((a, b) => a + b, 0)
    for (let tap = 0; tap < taps; tap++) row[tap] = (row[tap] as number) / sum
  }
  return table
}

const sinc = (x: number) => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x))
