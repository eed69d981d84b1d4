import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Bill, billFaults, chargesOfHistory } from './bills.ts'
import type { Logged } from './history-checks.ts'

const event = (n: number, type: string, status: Logged['status'], cost?: string): Logged => ({
  ...{ id: `evt_${n}`, task: 'task_a', type, status, version: n, attempt: 1 },
  ...(cost !== undefined && { cost }),
})
const ran = [
  event(1, 'task.queued', 'queued'),
  event(2, 'task.started', 'running'),
  event(3, 'task.succeeded', 'succeeded', '0.000020'),
]
const billed = (micros: bigint, ...events: string[]): Bill => ({
  tasks: new Map([['task_a', { micros, events: new Set(events) }]]),
  faults: [],
})

test('a bill of what the history says has no faults', () => {
  assert.deepEqual(billFaults(billed(20n, 'evt_3'), chargesOfHistory(ran)), [])
  const expired = [event(1, 'task.queued', 'queued'), event(2, 'task.expired', 'expired', '0.000000')]
  assert.deepEqual(billFaults(billed(0n, 'evt_2'), chargesOfHistory(expired)), [])
  assert.deepEqual(billFaults({ tasks: new Map(), faults: [] }, chargesOfHistory(ran.slice(0, 2))), [])
})

test('what is not billed, too dear, by another event, without a run or out of nothing is found', () => {
  const charges = chargesOfHistory(ran)
  const unran = chargesOfHistory(ran.filter(({ type }) => type !== 'task.started'))
  assert.deepEqual(
    [
      billFaults({ tasks: new Map(), faults: [] }, charges),
      billFaults(billed(40n, 'evt_3'), charges),
      billFaults(billed(20n, 'evt_2'), charges),
      billFaults(billed(20n, 'evt_3'), unran),
      billFaults(billed(20n, 'evt_3'), new Map()),
      billFaults({ ...billed(20n, 'evt_3'), faults: ['task_a:compute: is billed twice'] }, charges),
    ],
    [
      ['task_a: costs 20 micro-dollars, and 0 are billed'],
      ['task_a: costs 20 micro-dollars, and 40 are billed'],
      ['task_a: ended with evt_3, and is billed by evt_2'],
      ['task_a: costs 0 micro-dollars, and 20 are billed'],
      ['task_a: is billed and does not exist'],
      ['task_a:compute: is billed twice'],
    ],
  )
})
