import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Final, type History, type Logged, violations } from './history-checks.ts'

test('a history in which every promise was kept has no violation', () => {
  assert.deepEqual(violations(kept()), [])
})

const planted: readonly [fault: string, plant: (history: Mutable) => void, said: RegExp][] = [
  ['an acknowledged task is lost', h => remove(h, 'task_a'), /task_a: was answered with 201 and is lost/],
  ['a key makes two tasks', h => change(h.finals, 1, { key: 'k' }), /key k made 2 tasks: task_a, task_b/],
  [
    'a key is answered with another task',
    h => change(h.acknowledged, 1, { key: 'k' }),
    /key k was answered with task_b/,
  ],
  [
    'the history lacks an entry',
    h => change(h.histories, 0, { entries: h.histories[0]?.entries.slice(1) ?? [] }),
    /task_a: its history is 2 running, 3 succeeded, its events 1 queued/,
  ],
  ['a task is listed twice', h => h.finals.push(h.finals[0] as Final), /task_a: listed twice/],
  ['a task never ends', h => change(h.finals, 0, { status: 'running' }), /task_a: never ended: running/],
  ['an answer is wrong', h => change(h.finals, 0, { answer: 4 }), /task_a: answers 4, not 3/],
  ['an event is there twice', h => h.events.push(event(h, 0)), /task_a: event evt_1 is in the log twice/],
  ['an event is missing', h => h.events.splice(1, 1), /task_a: event 2 has version 3/],
  ['the first event is missing', h => h.events.splice(0, 1), /task_a: begins with task.started/],
  ['the last event is missing', h => h.events.splice(2, 1), /task_a: is succeeded and its last event is task.started/],
  ['all its events are missing', h => removeEvents(h, 'task_a'), /task_a: begins with no event/],
  ['events are out of order', h => h.events.splice(0, 2, event(h, 1), event(h, 0)), /task_a: begins with task.started/],
  ['two events share a version', h => change(h.events, 1, { version: 1 }), /task_a: event 2 has version 1/],
  ['a task ends twice', h => h.events.push(later(h, 2, { version: 4 })), /task.succeeded comes after its end/],
  [
    'something follows the end',
    h => h.events.push(later(h, 2, { version: 4, type: 'task.started', status: 'running' })),
    /task_a: task.started comes after its end, task.succeeded/,
  ],
  [
    'a step is not in the table of states',
    h => change(h.events, 1, { type: 'task.cancelling', status: 'cancelling' }),
    /task_a: task.cancelling comes after task.queued/,
  ],
  [
    'an event shows another status than its type',
    h => change(h.events, 1, { status: 'queued' }),
    /task_a: task.started shows the status queued/,
  ],
  [
    'the last event is not the final state',
    h => change(h.finals, 0, { status: 'failed' }),
    /task_a: is failed and its last event is task.succeeded/,
  ],
  ['the task is newer than its events', h => change(h.finals, 0, { version: 4 }), /task_a: has version 4/],
  ['an event is about no task', h => removeFinal(h, 'task_unseen'), /task_unseen: has events and does not exist/],
  [
    'an answered cancel does not hold',
    h => change(h.finals, 1, { status: 'failed' }),
    /task_b: its cancel was answered/,
  ],
  [
    'an end that was seen is not the end',
    h => change(h.cancellations, 1, { status: 'failed' }),
    /task_a: was seen failed and ended succeeded/,
  ],
  [
    'a run begins while another holds the lease',
    h => h.events.splice(6, 0, { ...event(h, 4), id: 'evt_12', version: 3, attempt: 2 }),
    /task_b: event 4 has version 3/,
  ],
  ['a run is not counted', h => change(h.events, 6, { attempt: 1 }), /task.started is of attempt 1, not 2/],
  [
    'the result of a stale run ends it',
    h => change(h.events, 8, { attempt: 1 }),
    /task.cancelled is of attempt 1, not 2/,
  ],
  ['a run has no event', h => change(h.finals, 0, { attempt: 2 }), /task_a: is at attempt 2 and its last event 1/],
  [
    'a client sees an end, and another later',
    h => change(h.looks, 2, { status: 'cancelled' }),
    /task_a: was seen cancelled and ended succeeded/,
  ],
  [
    'a client sees an older state after a newer one',
    h => h.looks.push({ id: 'task_a', status: 'queued', version: 1, asked: 40, answered: 41 }),
    /task_a: was seen at version 3, and later at 1/,
  ],
  [
    'a client sees a state that never was',
    h => change(h.looks, 1, { status: 'queued' }),
    /task_a: was seen queued at version 2, where its event says running/,
  ],
]

for (const [fault, plant, said] of planted)
  test(`finds it when ${fault}`, () => {
    const history = kept()
    plant(history)
    assert.match(violations(history).join('\n'), said)
  })

test('what was asked for before a newer state was seen may be older', () => {
  const history = kept()
  history.looks.push({ id: 'task_a', status: 'queued', version: 1, asked: 4, answered: 41 })
  assert.deepEqual(violations(history), [])
})

type Mutable = { -readonly [List in keyof Required<History>]: Required<History>[List][number][] }

/** Three tasks: one succeeded, one was cancelled while it ran again, one was never acknowledged. */
function kept(): Mutable {
  return {
    acknowledged: [
      { id: 'task_a', answer: 3, key: 'k' },
      { id: 'task_b', answer: 5 },
    ],
    cancellations: [
      { id: 'task_b', outcome: 'requested', status: 'cancelling' },
      { id: 'task_a', outcome: 'already_finished', status: 'succeeded' },
    ],
    looks: [
      { id: 'task_a', status: 'queued', version: 1, asked: 1, answered: 5 },
      { id: 'task_a', status: 'running', version: 2, asked: 6, answered: 10 },
      { id: 'task_a', status: 'succeeded', version: 3, asked: 20, answered: 30 },
    ],
    events: [
      { id: 'evt_1', task: 'task_a', type: 'task.queued', status: 'queued', version: 1, attempt: 0 },
      { id: 'evt_2', task: 'task_a', type: 'task.started', status: 'running', version: 2, attempt: 1 },
      { id: 'evt_3', task: 'task_a', type: 'task.succeeded', status: 'succeeded', version: 3, attempt: 1 },
      { id: 'evt_4', task: 'task_b', type: 'task.queued', status: 'queued', version: 1, attempt: 0 },
      { id: 'evt_5', task: 'task_b', type: 'task.started', status: 'running', version: 2, attempt: 1 },
      { id: 'evt_6', task: 'task_b', type: 'task.retrying', status: 'queued', version: 3, attempt: 1 },
      { id: 'evt_7', task: 'task_b', type: 'task.started', status: 'running', version: 4, attempt: 2 },
      { id: 'evt_8', task: 'task_b', type: 'task.cancelling', status: 'cancelling', version: 5, attempt: 2 },
      { id: 'evt_9', task: 'task_b', type: 'task.cancelled', status: 'cancelled', version: 6, attempt: 2 },
      { id: 'evt_10', task: 'task_unseen', type: 'task.queued', status: 'queued', version: 1, attempt: 0 },
      { id: 'evt_11', task: 'task_unseen', type: 'task.expired', status: 'expired', version: 2, attempt: 0 },
    ],
    finals: [
      { id: 'task_a', status: 'succeeded', version: 3, attempt: 1, answer: 3, key: 'k' },
      { id: 'task_b', status: 'cancelled', version: 6, attempt: 2, answer: undefined },
      { id: 'task_unseen', status: 'expired', version: 2, attempt: 0, answer: undefined },
    ],
    histories: [
      {
        id: 'task_a',
        entries: [
          { version: 1, status: 'queued' },
          { version: 2, status: 'running' },
          { version: 3, status: 'succeeded' },
        ],
      },
    ],
  }
}

function event(history: Mutable, at: number): Logged {
  return history.events[at] as Logged
}

/** Another event like the one at `at`, of its own id. */
function later(history: Mutable, at: number, other: Partial<Logged>): Logged {
  return { ...event(history, at), id: 'evt_12', ...other }
}

function change<T>(list: T[], at: number, other: Partial<T>): void {
  list[at] = { ...(list[at] as T), ...other }
}

function remove(history: Mutable, id: string): void {
  removeEvents(history, id)
  removeFinal(history, id)
}

function removeEvents(history: Mutable, id: string): void {
  history.events = history.events.filter(each => each.task !== id)
}

function removeFinal(history: Mutable, id: string): void {
  history.finals = history.finals.filter(each => each.id !== id)
}
