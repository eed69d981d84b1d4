/** What becomes of an hour: every state with everything that can happen to it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  announced,
  closed,
  closing,
  HOUR_MS,
  type HourRecord,
  hourId,
  hourOf,
  newHour,
  rest,
  SETTLES_AFTER_MS,
  summed,
  withEntry,
} from './usage-hour.ts'
import { nothing } from './usage-sum.ts'

const START = Date.UTC(2026, 10, 21, 7)
const END = START + HOUR_MS
const NOW = END + 2 * SETTLES_AFTER_MS
const lines = [{ ...nothing(), model: 'a', type: 'inference', gpu_type: 'cpu', succeeded: 1 }]

const open: HourRecord = { ...newHour('acct_a/live', START, START + 5), version: 1 }
const half: HourRecord = { ...open, announced_to: START + 1000, summed_to: START + 500, lines }
const reading: HourRecord = { ...open, announced_to: END }
const done = summed(reading, lines, NOW, 1000)
const last = closing(done)
const gone = closed(last)

test('an hour begins with nothing summed, and is due when it is over and has settled', () => {
  assert.deepEqual([hourOf(START + 5), hourId(START + 5)], [START, '2026-11-21T07'])
  assert.deepEqual([open.state, open.summed_to, open.announced_to, open.lines], ['open', START, START, []])
  assert.equal(open.due, END + SETTLES_AFTER_MS)
  assert.equal(newHour('acct_a/live', START, NOW).due, NOW + SETTLES_AFTER_MS)
})

test('an entry that may have been missed sets the hour back; none is added to one that is final', () => {
  const anew = { ...open, due: NOW + SETTLES_AFTER_MS }
  const table: [string, HourRecord, number, ReturnType<typeof withEntry>][] = [
    ['open', open, START, 'unchanged'],
    ['beyond what was announced', half, START + 1000, 'unchanged'],
    ['announced and not summed', half, START + 999, { ...anew, version: half.version }],
    ['summed so far', half, START, { ...anew, version: half.version }],
    ['announced whole', reading, END - 1, { ...anew, version: reading.version }],
    ['summed', done, END - 1, { ...anew, version: done.version }],
    ['closing', last, START, 'too_late'],
    ['closed', gone, START, 'too_late'],
  ]
  for (const [name, hour, at, wanted] of table) assert.deepEqual(withEntry(hour, at, NOW), wanted, name)
})

test('what has settled is announced, to the hour’s end at most', () => {
  const table: [string, HourRecord, number, number | undefined][] = [
    ['nothing has settled', open, START + SETTLES_AFTER_MS, undefined],
    ['a part', open, START + SETTLES_AFTER_MS + 7, START + 7],
    ['all', open, NOW, END],
    ['what another announced and left', half, NOW, END],
    ['less than another announced by its clock', half, START + SETTLES_AFTER_MS + 700, START + 700],
    ['no more than is summed', half, START + SETTLES_AFTER_MS + 500, undefined],
    ['a clock that went back', half, START - HOUR_MS, undefined],
    ['summed', done, NOW, undefined],
    ['closing', last, NOW, undefined],
    ['closed', gone, NOW, undefined],
  ]
  for (const [name, hour, now, to] of table) assert.equal(announced(hour, now)?.announced_to, to, name)
})

test('sums are as far as was announced, and whole at the hour’s end', () => {
  const part = summed({ ...open, announced_to: START + 7 }, lines, NOW, 1000)
  assert.deepEqual([part.state, part.summed_to, part.due], ['open', START + 7, open.due])
  assert.deepEqual([done.state, done.summed_to, done.due], ['summed', END, NOW + 1000])
  assert.deepEqual([last.state, last.due], ['closing', done.due])
  assert.deepEqual([gone.state, gone.due, gone.lines], ['closed', undefined, lines])
})

test('entries count where sums don’t reach', () => {
  assert.deepEqual(rest(open), { start: START, end: END })
  assert.deepEqual(rest(half), { start: START + 500, end: END })
  for (const hour of [done, last, gone]) assert.deepEqual(rest(hour), { start: END, end: END })
})
