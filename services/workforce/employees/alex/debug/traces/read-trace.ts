/** Which language a trace is of, and what it says. */
import { csharp } from './csharp.ts'
import { go } from './go.ts'
import { java } from './java.ts'
import { javascript } from './javascript.ts'
import { linesOf } from './log-lines.ts'
import { php } from './php.ts'
import { python } from './python.ts'
import { ruby } from './ruby.ts'
import { rust } from './rust.ts'
import type { Frame, Trace, TraceReader } from './trace.ts'

/** The reading with the most frames; undefined where no reader finds any. Lines that are too long are cut. */
export function readTrace(text: string): Trace | undefined {
  const lines = linesOf(text)
  const count = ({ thrown }: Trace) => thrown.reduce((sum, { frames }) => sum + frames.length, 0)
  return readers
    .flatMap(read => read(lines) ?? [])
    .reduce<Trace | undefined>((best, trace) => (best && count(best) >= count(trace) ? best : trace), undefined)
}

const readers: readonly TraceReader[] = [python, java, csharp, javascript, go, rust, ruby, php]

/** The innermost frame of the project itself, of what went wrong first; that of what it became, where the first has none. */
export function failingFrame({ thrown }: Trace, isGiven: (frame: Frame) => boolean): Frame | undefined {
  const frames = thrown.flatMap(({ frames: its }) => its)
  // Who gives the code of a package alone is debugging that.
  return frames.find(({ owner }) => owner === 'own') ?? frames.find(isGiven)
}
