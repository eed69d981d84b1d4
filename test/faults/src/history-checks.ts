/** What clients saw of a run with faults, held against what the store and the event log say in the end. */

type Status = 'queued' | 'running' | 'cancelling' | 'succeeded' | 'failed' | 'cancelled' | 'expired'

/** A create that was answered with 201. */
export interface Acknowledged {
  readonly id: string
  /** What the output must be, if it succeeds; undefined where the model's answer is not looked at. */
  readonly answer: number | undefined
  /** The `Idempotency-Key` that it was sent with. */
  readonly key?: string
  /** When, as in a look. */
  readonly answered?: number
}

/** A cancel that was answered with 200. */
export interface Cancellation {
  readonly id: string
  readonly outcome: 'cancelled' | 'requested' | 'already_finished'
  /** The task's status as the answer shows it. */
  readonly status: Status
  /** When, as in a look. */
  readonly answered?: number
}

/** A task as an answer showed it to a client; times are the client's own, in milliseconds, and never go back. */
export interface Look {
  readonly id: string
  readonly status: Status
  readonly version: number
  readonly asked: number
  readonly answered: number
}

/** An event as the log holds it, in the order of the log. */
export interface Logged {
  readonly id: string
  /** The task that it is about. */
  readonly task: string
  readonly type: string
  readonly status: Status
  readonly version: number
  /** How many runs it has begun, as the event shows it. */
  readonly attempt: number
  /** Dollars that it cost, as the event shows it. */
  readonly cost?: string
}

/** A task as it is when everything has ended. */
export interface Final {
  readonly id: string
  readonly status: Status
  readonly version: number
  readonly attempt: number
  readonly answer: number | undefined
  /** The `Idempotency-Key` of its create, as its metadata name it. */
  readonly key?: string
}

/** The history that the store has in a task, oldest entry first. */
export interface StoredHistory {
  readonly id: string
  readonly entries: readonly Pick<Logged, 'version' | 'status'>[]
}

export interface History {
  readonly acknowledged: readonly Acknowledged[]
  readonly cancellations: readonly Cancellation[]
  readonly looks: readonly Look[]
  readonly events: readonly Logged[]
  readonly finals: readonly Final[]
  /** Where they were read. */
  readonly histories?: readonly StoredHistory[]
}

/** Every breach of the promises, in words; none where all of them were kept. */
export function violations(history: History): string[] {
  const { acknowledged, cancellations, looks, events, finals, histories = [] } = history
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
  found.push(...faultsOfKeys(acknowledged, finals))
  for (const stored of histories) found.push(...faultsOfStored(stored, eventsOf.get(stored.id) ?? []))
  for (const [id, seen] of Map.groupBy(looks, look => look.id))
    found.push(...faultsOfLooks(seen, finalOf.get(id), eventsOf.get(id) ?? []))
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

/**
 * The events of one task: all of them, once, in order, from `task.queued` to its one end, which is its final state.
 * A run begins only after the one before was given up, and is told apart from it by its attempt: so one lease lives at
 * a time, and what ends the task is of the run that holds it.
 */
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
    const attempt = (before?.attempt ?? 0) + (event.type === 'task.started' ? 1 : 0)
    // What is given back before its run began does not count.
    const givenBack = event.type === 'task.retrying' && event.attempt === attempt - 1
    if (event.attempt !== attempt && !givenBack) fault(`${event.type} is of attempt ${event.attempt}, not ${attempt}`)
  }
  const last = life.at(-1)
  if (last && last.status !== final.status) fault(`is ${final.status} and its last event is ${last.type}`)
  if (last && last.version !== final.version) fault(`has version ${final.version} and its last event ${last.version}`)
  if (last && last.attempt !== final.attempt) fault(`is at attempt ${final.attempt} and its last event ${last.attempt}`)
  return found
}

/** What was answered with 201 exists, and its output is right. */
function faultsOfAcknowledged(acknowledged: readonly Acknowledged[], finalOf: ReadonlyMap<string, Final>): string[] {
  return acknowledged.flatMap(({ id, answer }) => {
    const final = finalOf.get(id)
    if (!final) return [`${id}: was answered with 201 and is lost`]
    if (final.status === 'succeeded' && answer !== undefined && final.answer !== answer)
      return [`${id}: answers ${final.answer}, not ${answer}`]
    return []
  })
}

/** A key makes one task, and whoever sends it is told of that one. */
function faultsOfKeys(acknowledged: readonly Acknowledged[], finals: readonly Final[]): string[] {
  const keyed = finals.flatMap(({ key, id }) => (key === undefined ? [] : [{ key, id }]))
  const made = Map.groupBy(keyed, ({ key }) => key)
  const found: string[] = []
  for (const [key, tasks] of made)
    if (tasks.length > 1) found.push(`key ${key} made ${tasks.length} tasks: ${tasks.map(({ id }) => id).join(', ')}`)
  for (const { key, id } of acknowledged)
    if (key !== undefined && made.get(key)?.[0]?.id !== id)
      found.push(`key ${key} was answered with ${id} and made ${made.get(key)?.[0]?.id ?? 'nothing'}`)
  return found
}

/** The history in the task has an entry for each event, of its version and status. */
function faultsOfStored({ id, entries }: StoredHistory, life: readonly Logged[]): string[] {
  const told = (list: readonly Pick<Logged, 'version' | 'status'>[]) =>
    list.map(({ version, status }) => `${version} ${status}`).join(', ')
  return told(entries) === told(life) ? [] : [`${id}: its history is ${told(entries)}, its events ${told(life)}`]
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

/** What clients saw of one task, by any gateway: states that it was in, and never an older one after a newer one. */
function faultsOfLooks(looks: readonly Look[], final: Final | undefined, life: readonly Logged[]): string[] {
  const found: string[] = []
  const statusAt = new Map(life.map(event => [event.version, event.status]))
  let newest: Look | undefined
  const byAnswer = looks.toSorted((a, b) => a.answered - b.answered)
  const answered: Look[] = []
  for (const look of looks.toSorted((a, b) => a.asked - b.asked)) {
    // Only an answer that had come before this look was asked for binds it.
    while (byAnswer[answered.length] && (byAnswer[answered.length] as Look).answered < look.asked) {
      const next = byAnswer[answered.length] as Look
      answered.push(next)
      if (!newest || next.version > newest.version) newest = next
    }
    const { id, status, version } = look
    if (newest && version < newest.version)
      found.push(`${id}: was seen at version ${newest.version}, and later at ${version}`)
    if (isTerminal(status) && final && final.status !== status)
      found.push(`${id}: was seen ${status} and ended ${final.status}`)
    else if (life.length > 0 && statusAt.get(version) !== status)
      found.push(`${id}: was seen ${status} at version ${version}, where its event says ${statusAt.get(version)}`)
  }
  return found
}
