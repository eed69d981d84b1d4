/** What clients saw of a run with crashes, held against what the store and the event log say in the end. */

export type Status = 'queued' | 'running' | 'cancelling' | 'succeeded' | 'failed' | 'cancelled' | 'expired'

/** A create that was answered with 201. */
export interface Acknowledged {
  readonly id: string
  /** What the output must be, if it succeeds. */
  readonly answer: number
}

/** A cancel that was answered with 200. */
export interface Cancellation {
  readonly id: string
  readonly outcome: 'cancelled' | 'requested' | 'already_finished'
  /** The task's status as the answer shows it. */
  readonly status: Status
}

/** An event as the log holds it, in the order of the log. */
export interface Logged {
  readonly id: string
  /** The task that it is about. */
  readonly task: string
  readonly type: string
  readonly status: Status
  readonly version: number
}

/** A task as REST shows it when everything has ended. */
export interface Final {
  readonly id: string
  readonly status: Status
  readonly version: number
  readonly answer: number | undefined
}

export interface History {
  readonly acknowledged: readonly Acknowledged[]
  readonly cancellations: readonly Cancellation[]
  readonly events: readonly Logged[]
  readonly finals: readonly Final[]
}

/** Every breach of the promises, in words; none where all of them were kept. */
export function violations({ acknowledged, cancellations, events, finals }: History): string[] {
  const found: string[] = []
  const finalOf = new Map<string, Final>()
  for (const final of finals) {
    if (finalOf.has(final.id)) found.push(`${final.id}: listed twice`)
    finalOf.set(final.id, final)
  }
  const ids = new Set<string>()
  for (const { id, task } of events) {
    if (ids.has(id)) found.push(`${task}: event ${id} is in the log twice`)
    ids.add(id)
  }
  const eventsOf = Map.groupBy(events, event => event.task)
  for (const task of eventsOf.keys()) if (!finalOf.has(task)) found.push(`${task}: has events and does not exist`)
  for (const final of finals) found.push(...faultsOfLife(final, eventsOf.get(final.id) ?? []))
  found.push(...faultsOfAcknowledged(acknowledged, finalOf), ...faultsOfCancellations(cancellations, finalOf))
  return found
}

/** Contract, section 4, "States": what may follow what. */
const FOLLOWS: Readonly<Record<Status, readonly Status[]>> = {
  queued: ['running', 'cancelled', 'expired'],
  running: ['succeeded', 'failed', 'queued', 'cancelling'],
  cancelling: ['cancelled'],
  succeeded: [],
  failed: [],
  cancelled: [],
  expired: [],
}

const STATUS_OF: Readonly<Record<string, Status>> = {
  'task.queued': 'queued',
  'task.started': 'running',
  'task.retrying': 'queued',
  'task.cancelling': 'cancelling',
  'task.succeeded': 'succeeded',
  'task.failed': 'failed',
  'task.cancelled': 'cancelled',
  'task.expired': 'expired',
}

export function isTerminal(status: Status): boolean {
  return FOLLOWS[status].length === 0
}

/** The events of one task: all of them, once, in order, from `task.queued` to its one end, which is its final state. */
function faultsOfLife(final: Final, life: readonly Logged[]): string[] {
  const found: string[] = []
  const fault = (words: string) => found.push(`${final.id}: ${words}`)
  if (!isTerminal(final.status)) fault(`never ended: ${final.status}`)
  if (life[0]?.type !== 'task.queued') fault(`begins with ${life[0]?.type ?? 'no event'}`)
  for (const [at, event] of life.entries()) {
    const before = life[at - 1]
    if (event.version !== at + 1) fault(`event ${at + 1} has version ${event.version}`)
    if (STATUS_OF[event.type] !== event.status) fault(`${event.type} shows the status ${event.status}`)
    if (before && isTerminal(before.status)) fault(`${event.type} comes after its end, ${before.type}`)
    else if (before && !FOLLOWS[before.status].includes(event.status)) fault(`${event.type} comes after ${before.type}`)
  }
  const last = life.at(-1)
  if (last && last.status !== final.status) fault(`is ${final.status} and its last event is ${last.type}`)
  if (last && last.version !== final.version) fault(`has version ${final.version} and its last event ${last.version}`)
  return found
}

/** What was answered with 201 exists, and its output is right. */
function faultsOfAcknowledged(acknowledged: readonly Acknowledged[], finalOf: ReadonlyMap<string, Final>): string[] {
  return acknowledged.flatMap(({ id, answer }) => {
    const final = finalOf.get(id)
    if (!final) return [`${id}: was answered with 201 and is lost`]
    if (final.status === 'succeeded' && final.answer !== answer)
      return [`${id}: answers ${final.answer}, not ${answer}`]
    return []
  })
}

/** A cancel that was answered holds; an end that was seen is the end. */
function faultsOfCancellations(cancellations: readonly Cancellation[], finalOf: ReadonlyMap<string, Final>): string[] {
  return cancellations.flatMap(({ id, outcome, status }) => {
    const final = finalOf.get(id)
    if (!final) return [`${id}: was cancelled and is lost`]
    if (outcome !== 'already_finished' && final.status !== 'cancelled')
      return [`${id}: its cancel was answered \`${outcome}\` and it ended ${final.status}`]
    if (isTerminal(status) && final.status !== status) return [`${id}: was seen ${status} and ended ${final.status}`]
    return []
  })
}
