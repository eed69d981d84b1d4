import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Segment, segmenter } from './segments.ts'

const frameMs = 10
const options = { threshold: 0.5, minSpeechMs: 20, minSilenceMs: 20, padMs: 5 }

/** What comes with each frame of a recording that is drawn: `#` is speech, `~` neither, `.` silence; and at its end. */
function heard(drawn: string, change: Partial<typeof options> = {}, durationMs = drawn.length * frameMs) {
  const { hear, end } = segmenter(frameMs, { ...options, ...change })
  const given: [when: number | 'end', startMs: number, endMs: number][] = []
  const note = (when: number | 'end', segments: Segment[]) => {
    for (const { startMs, endMs } of segments) given.push([when, startMs, endMs])
  }
  for (const [frame, letter] of [...drawn].entries()) note(frame, hear({ '#': 0.9, '~': 0.4 }[letter] ?? 0.1))
  note('end', end(durationMs))
  return given
}

describe('stretches of speech', () => {
  for (const [says, drawn, change, expected] of [
    ['are given when the silence is long enough', '..###.....', {}, [[7, 15, 55]]],
    ['go over short pauses', '..##.##...', {}, [[9, 15, 75]]],
    ['go on while it is not sure', '..##~~~...', {}, [[9, 15, 75]]],
    ['that are too short are dropped', '..#....###....', {}, [[12, 65, 105]]],
    ['have no padding before the recording begins', '###.....', {}, [[5, 0, 35]]],
    ['end with the recording, padded no further', '...###', {}, [['end', 25, 60]]],
    ['end before the recording does', '...###.', {}, [['end', 25, 65]]],
    [
      'wait for the next that may take their padding',
      '##...##...',
      { padMs: 20 },
      [
        [7, 0, 35],
        ['end', 35, 90],
      ],
    ],
    [
      'do not wait for one that comes too late to',
      '##.......##...',
      { padMs: 20 },
      [
        [6, 0, 40],
        ['end', 70, 130],
      ],
    ],
    ['get the padding that one too short leaves', '##...#.....', { padMs: 20 }, [[8, 0, 40]]],
    [
      'without padding wait for nothing',
      '##...##...',
      { padMs: 0 },
      [
        [4, 0, 20],
        [9, 50, 70],
      ],
    ],
  ] as const) {
    it(says, () => assert.deepEqual(heard(drawn, change), expected))
  }

  it('are what they are whenever they are told', () => {
    let state = 7
    const random = () => {
      state = (state * 48_271) % 2_147_483_647
      return state / 2_147_483_647
    }
    for (let round = 0; round < 500; round++) {
      const drawn = Array.from({ length: 60 }, () => '##~...'[Math.floor(random() * 6)]).join('')
      const change = {
        minSpeechMs: Math.floor(random() * 4) * 10,
        minSilenceMs: Math.floor(random() * 4) * 10,
        padMs: Math.floor(random() * 60),
      }
      const durationMs = 590 + random() * 10
      const told = heard(drawn, change, durationMs).map(([, startMs, endMs]) => [startMs, endMs])
      assert.deepEqual(told, whole(drawn, { ...options, ...change }, durationMs), `${drawn} ${JSON.stringify(change)}`)
    }
  })
})

/** All at once: the stretches first, then the padding of each between its neighbours. */
function whole(drawn: string, { minSpeechMs, minSilenceMs, padMs }: typeof options, durationMs: number): number[][] {
  const found: [number, number][] = []
  let start: number | undefined
  let silence: number | undefined
  const stop = (at: number) => {
    if (start !== undefined && at - start >= minSpeechMs) found.push([start, at])
    start = undefined
    silence = undefined
  }
  for (const [frame, letter] of [...drawn].entries()) {
    const now = frame * frameMs
    if (letter === '#') {
      silence = undefined
      start ??= now
    } else if (letter === '.' && start !== undefined) {
      silence ??= now
      if (now - silence >= minSilenceMs) stop(silence)
    }
  }
  stop(silence ?? durationMs)
  return found.map(([from, to], index) => {
    const [before, after] = [found[index - 1], found[index + 1]]
    const roomBefore = before ? (from - before[1]) / 2 : from
    const roomAfter = after ? (after[0] - to) / 2 : durationMs - to
    return [from - Math.min(padMs, roomBefore), to + Math.max(0, Math.min(padMs, roomAfter))]
  })
}
