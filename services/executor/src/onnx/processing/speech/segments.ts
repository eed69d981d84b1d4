/** From the probability of speech in each frame to stretches of speech, as Silero's own `get_speech_timestamps` does. */

export interface SegmentOptions {
  /** A frame at or above it is speech, from 0 to 1. */
  readonly threshold: number
  /** Shorter stretches are dropped. */
  readonly minSpeechMs: number
  /** Shorter pauses do not end a stretch. */
  readonly minSilenceMs: number
  /** Added before and after each stretch. */
  readonly padMs: number
}

export const DEFAULTS: SegmentOptions = { threshold: 0.5, minSpeechMs: 250, minSilenceMs: 100, padMs: 30 }

export interface Segment {
  readonly startMs: number
  readonly endMs: number
}

/** Once in speech, a frame must fall this much lower to count as silence. */
const HYSTERESIS = 0.15

export function segments(
  probabilities: ArrayLike<number>,
  frameMs: number,
  durationMs: number,
  options: SegmentOptions,
): Segment[] {
  const { threshold, minSpeechMs, minSilenceMs, padMs } = options
  const found: Segment[] = []
  let start: number | undefined
  let silence: number | undefined
  const end = (at: number) => {
    if (start !== undefined && at - start >= minSpeechMs) found.push({ startMs: start, endMs: at })
    start = undefined
    silence = undefined
  }
  for (let frame = 0; frame < probabilities.length; frame++) {
    const probability = probabilities[frame] as number
    const now = frame * frameMs
    if (probability >= threshold) {
      silence = undefined
      start ??= now
    } else if (start !== undefined && probability < threshold - HYSTERESIS) {
      silence ??= now
      if (now - silence >= minSilenceMs) end(silence)
    }
  }
  end(silence ?? durationMs)
  return padded(found, padMs, durationMs)
}

/** Two stretches whose padding would overlap meet in the middle. */
function padded(found: readonly Segment[], padMs: number, durationMs: number): Segment[] {
  return found.map(({ startMs, endMs }, index) => {
    const before = found[index - 1]
    const after = found[index + 1]
    const roomBefore = before ? (startMs - before.endMs) / 2 : startMs
    const roomAfter = after ? (after.startMs - endMs) / 2 : durationMs - endMs
    return { startMs: startMs - Math.min(padMs, roomBefore), endMs: endMs + Math.max(0, Math.min(padMs, roomAfter)) }
  })
}
