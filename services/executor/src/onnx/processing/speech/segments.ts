/**
 * From the probability of speech in each frame to stretches of speech, as Silero's own `get_speech_timestamps` does:
 * each is given as soon as no later frame can change it.
 */

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

export interface Segmenter {
  /** Hears the next frame; gives the stretches that are final now, in order. */
  hear(probability: number): Segment[]
  /** The recording is over, and was this long: no less than where its last frame began. Gives what was not final yet. */
  end(durationMs: number): Segment[]
}

/** Once in speech, a frame must fall this much lower to count as silence. */
const HYSTERESIS = 0.15

export function segmenter(frameMs: number, options: SegmentOptions): Segmenter {
  const { threshold, minSpeechMs, minSilenceMs, padMs } = options
  let frame = 0
  let start: number | undefined
  let silence: number | undefined
  /** Where the last stretch that counts ends, without its padding: how much fits may depend on where the next begins. */
  let lastEnd: number | undefined
  /** Where it begins, padding included, until it is given. */
  let openStart: number | undefined

  /** Two stretches whose padding would overlap meet in the middle. */
  const roomBefore = (startMs: number) => (lastEnd === undefined ? startMs : (startMs - lastEnd) / 2)

  /** Gives the last stretch, unless it is given: it has this much room behind it. */
  function close(room: number): Segment[] {
    if (openStart === undefined || lastEnd === undefined) return []
    const segment = { startMs: openStart, endMs: lastEnd + Math.max(0, Math.min(padMs, room)) }
    openStart = undefined
    return [segment]
  }

  function stop(at: number): Segment[] {
    let before: Segment[] = []
    if (start !== undefined && at - start >= minSpeechMs) {
      const room = roomBefore(start)
      before = close(room)
      openStart = start - Math.min(padMs, room)
      lastEnd = at
    }
    start = undefined
    silence = undefined
    return before
  }

  return {
    hear(probability) {
      const now = frame++ * frameMs
      let final: Segment[] = []
      if (probability >= threshold) {
        silence = undefined
        start ??= now
      } else if (start !== undefined && probability < threshold - HYSTERESIS) {
        silence ??= now
        if (now - silence >= minSilenceMs) final = stop(silence)
      }
      // What follows the last stretch begins here if it is sure to count, and no earlier if not.
      const room = roomBefore(start ?? now)
      const isSure = start !== undefined && (silence ?? now) - start >= minSpeechMs
      return isSure || room >= padMs ? [...final, ...close(room)] : final
    },
    end(durationMs) {
      const before = stop(silence ?? durationMs)
      return [...before, ...close(durationMs - (lastEnd ?? 0))]
    },
  }
}
