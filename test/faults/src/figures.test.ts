import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Message, withoutRepeats } from './deduplication.ts'
import { figuresOf, type Moment } from './figures.ts'
import type { Logged } from './history-checks.ts'

test('leases are back when the last task is queued again that ran when its executor was killed', () => {
  const { leasesBackMs } = figures([
    message('task_a', 1, 'task.queued', 0),
    message('task_a', 2, 'task.started', 900),
    message('task_a', 3, 'task.retrying', 9_500),
    message('task_b', 1, 'task.started', 950),
    message('task_b', 2, 'task.succeeded', 1_200),
    message('task_c', 1, 'task.started', 1_100),
    message('task_c', 2, 'task.retrying', 15_000),
  ])
  assert.deepEqual(leasesBackMs, [8_500])
})

test('a task that is not queued again is found, and an executor that ran nothing counts for nothing', () => {
  const started = message('task_a', 1, 'task.started', 900)
  assert.deepEqual(figures([started]).leasesBackMs, [Number.POSITIVE_INFINITY])
  assert.deepEqual(figures([message('task_a', 1, 'task.queued', 900)]).leasesBackMs, [])
})

test('repeats are counted at the fault before them, and elsewhere where none is near', () => {
  const first = message('task_a', 1, 'task.queued', 0)
  const { aftermath, repeats, repeatsElsewhere } = figures([
    first,
    { ...first, takenAt: at(2_500) },
    { ...first, takenAt: at(60_000) },
  ])
  assert.equal(repeats, 2)
  assert.equal(repeatsElsewhere, 1)
  assert.deepEqual(
    aftermath.map(each => each.repeats),
    [1, 1],
  )
})

test('a fault is alone where no other was on before it was got over', () => {
  const between = { ...moments[1], began: 1_900 } as Moment
  assert.deepEqual(alone(moments), [true, true])
  assert.deepEqual(alone([moments[0] as Moment, between]), [false, false])
})

/** An executor is killed after a second, and is back a second later; a gateway a while after that. */
const moments: readonly Moment[] = [
  { fault: { kind: 'kill', target: 'executor-1', ms: 0 }, place: 'executor-1', began: 1_000, over: 2_000, backMs: 100 },
  { fault: { kind: 'kill', target: 'gateway-1', ms: 0 }, place: 'gateway-1', began: 30_000, over: 31_000, backMs: 100 },
]

const alone = (some: readonly Moment[]) => figures([], some).aftermath.map(each => each.alone)

function figures(messages: readonly Message[], some = moments) {
  const seen = { acknowledged: [], cancellations: [], looks: [], unanswered: 0, unexpected: [] }
  const times = { refused: 0, loadMs: 0, settleMs: 0, allMs: 0 }
  return figuresOf({ seen, finals: [], topic: withoutRepeats(messages), messages, moments: some, ...times })
}

const at = (ms: number): number => performance.timeOrigin + ms

function message(task: string, version: number, type: string, ms: number): Message {
  const event: Logged = { id: `${task}-${version}`, task, type, status: 'queued', version, attempt: 0 }
  return { event, content: event.id, partition: 0, takenAt: at(ms) }
}
