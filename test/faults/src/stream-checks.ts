/** What a task's stream promises, whoever reads it and however often they had to come back. */
import { isDeepStrictEqual } from 'node:util'
import type { StreamEvent } from '@millhand/test-e2e/event-stream'
import { isEnd } from './stream-reader.ts'

/** Breaches in words: of the whole stream, as it is read once everything is quiet, and of each reader against that. */
export function streamFaults(
  task: string,
  whole: readonly StreamEvent[],
  readers: readonly (readonly StreamEvent[])[],
): string[] {
  const faults = [...orderFaults(whole), ...lifeFaults(whole), ...outputFaults(whole)]
  for (const events of readers) {
    const at = whole.findIndex((event, index) => !isDeepStrictEqual(event, events[index]))
    if (at !== -1) faults.push(`a reader has ${shown(events[at])} where the stream has ${shown(whole[at])}`)
    else if (events.length > whole.length) faults.push(`a reader has more: ${shown(events[whole.length])}`)
  }
  return faults.map(fault => `${task}: ${fault}`)
}

/** Numbers only grow. */
function orderFaults(events: readonly StreamEvent[]): string[] {
  return events.flatMap((event, at) => {
    const before = events[at - 1]
    const isAfter = before === undefined || Number(before.id) < Number(event.id)
    return isAfter && Number(event.id) === event.data.sequence ? [] : [`${shown(event)} comes after ${shown(before)}`]
  })
}

/** From `task.queued` over runs, each ended by `task.retrying`, to one end. */
function lifeFaults(events: readonly StreamEvent[]): string[] {
  const states = events.filter(({ type }) => !emitted.has(type)).map(({ type }) => type.slice('task.'.length))
  const life = /^queued( started retrying)*( cancelling| started( cancelling)?)? (succeeded|failed|cancelled|expired)$/
  const faults = life.test(states.join(' ')) ? [] : [`its life is ${states.join(' ')}`]
  const last = events.at(-1)
  if (last && isEnd(last) && last.data.task?.status !== last.type.slice('task.'.length)) {
    faults.push('its last event does not carry the task as it ended')
  }
  let isRunning = false
  for (const event of events) {
    if (emitted.has(event.type)) {
      if (!isRunning) faults.push(`${shown(event)} comes outside a run`)
    } else isRunning = event.type === 'task.started'
  }
  return faults
}

/** The last run has emitted each piece that the task asked for, in their order: the words of `mock/stream-instructions.ts`. */
function outputFaults(events: readonly StreamEvent[]): string[] {
  const last = events.at(-1)
  if (last?.type !== 'task.succeeded') return []
  const began = events.findLastIndex(({ type }) => type === 'task.started')
  const pieces = events.slice(began).filter(({ type }) => type === 'task.output')
  const asked = Array.from({ length: last.data.task.parameters.chunks }, (_, at) => `word${at + 1} `)
  const emitted = pieces.map(({ data }) => data.output)
  return isDeepStrictEqual(emitted, asked) ? [] : [`its ${emitted.length} pieces are not the ${asked.length} asked for`]
}

const emitted = new Set(['task.output', 'task.log', 'task.progress'])

const shown = (event: StreamEvent | undefined): string => (event ? `${event.type} ${event.id}` : 'nothing')
