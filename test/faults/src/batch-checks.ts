/** What clients were told of batches, against the batches, their files and their tasks at the end. */
import type { Wire } from '@millhand/test-e2e/http'

/** A batch whose create was answered with 201. */
export interface CreatedBatch {
  readonly id: string
  /** Of each line, in order. */
  readonly customIds: readonly string[]
  /** What the model answers to each line. */
  readonly digits: readonly (number | undefined)[]
  /** The id in the answer to the same create with the same key. */
  readonly replayed: string
  /** The outcome of a cancel, where there was one. */
  readonly cancelled: 'requested' | 'already_finished' | undefined
}

/** A batch that has ended, as REST shows it. */
export interface BatchEnd {
  readonly batch: Wire
  /** The lines of `output_file` and of `error_file`. */
  readonly done: readonly Wire[]
  readonly failed: readonly Wire[]
  readonly tasks: readonly Wire[]
}

/** Every breach of the promises, in words; `listed` are the ids of all batches. */
export function batchFaults(
  created: readonly CreatedBatch[],
  ends: readonly BatchEnd[],
  listed: readonly string[],
): string[] {
  const known = new Set(created.map(({ id }) => id))
  const endOf = new Map(ends.map(end => [end.batch.id as string, end]))
  return [
    ...listed.filter(id => !known.has(id)).map(id => `${id}: was made beside the batch of its key`),
    ...(new Set(listed).size === listed.length ? [] : ['a batch is listed twice']),
    ...created.flatMap(batch => {
      const end = endOf.get(batch.id)
      if (!end || !listed.includes(batch.id)) return [`${batch.id}: was answered with 201 and is lost`]
      return [...faultsOfBatch(batch, end), ...faultsOfLines(batch, end), ...faultsOfTasks(end)].map(
        words => `${batch.id}: ${words}`,
      )
    }),
  ]
}

function faultsOfBatch({ id, replayed, cancelled, customIds }: CreatedBatch, { batch, done, failed }: BatchEnd) {
  const found: string[] = []
  if (replayed !== id) found.push(`its key was answered with ${replayed} too`)
  // After an answer that was lost, a second cancel finds a batch that the first one has ended.
  const either = cancelled === 'already_finished' && batch.status === 'cancelled'
  const status = cancelled === 'requested' || either ? 'cancelled' : 'completed'
  if (batch.status !== status) found.push(`is ${batch.status}, not ${status}`)
  const { succeeded = 0, ...others } = batch.counts as Readonly<Record<string, number>>
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)
  const rest = sum(Object.values(others))
  if (batch.total !== customIds.length || succeeded + rest !== batch.total)
    found.push(`has ${customIds.length} lines, a total of ${batch.total} and counts of ${succeeded} and ${rest}`)
  if (done.length !== succeeded || failed.length !== rest)
    found.push(`counts ${succeeded} and ${rest}, and its files have ${done.length} and ${failed.length} lines`)
  if (others.queued || others.running || others.cancelling) found.push(`has ended with ${JSON.stringify(batch.counts)}`)
  return found
}

/** Each line once, in order, with the answer that belongs to it. */
function faultsOfLines({ customIds, digits }: CreatedBatch, { batch, done, failed }: BatchEnd): string[] {
  const found: string[] = []
  for (const lines of [done, failed])
    for (const [at, { index }] of lines.entries())
      if (at > 0 && index <= lines[at - 1]?.index) found.push(`line ${index} comes after ${lines[at - 1]?.index}`)
  const all = [...done, ...failed]
  const indexes = all.map(({ index }) => index).sort((a, b) => a - b)
  if (indexes.length !== customIds.length || indexes.some((index, at) => index !== at))
    found.push(`its lines are ${indexes}`)
  if (new Set(all.map(({ task_id }) => task_id)).size !== all.length) found.push('two lines are of one task')
  for (const { index, custom_id } of all)
    if (custom_id !== customIds[index]) found.push(`line ${index} is named ${custom_id}, not ${customIds[index]}`)
  for (const { index, output } of done)
    if (output?.digit !== digits[index]) found.push(`line ${index} is ${output?.digit}, not ${digits[index]}`)
  for (const { index, error } of failed)
    if (batch.status !== 'cancelled' || error?.code !== 'batch_cancelled')
      found.push(`line ${index} failed: ${error?.code}`)
  return found
}

/** Each task is listed once, and ended as its line says. */
function faultsOfTasks({ done, failed, tasks }: BatchEnd): string[] {
  const found: string[] = []
  const statusOf = new Map(tasks.map(({ id, status }) => [id, status]))
  if (statusOf.size !== tasks.length) found.push('a task is listed twice')
  const named = new Set([...done, ...failed].map(({ task_id }) => task_id))
  for (const { id } of tasks) if (!named.has(id)) found.push(`the task ${id} is in neither file`)
  for (const { task_id } of done)
    if (statusOf.get(task_id) !== 'succeeded') found.push(`the task ${task_id} is ${statusOf.get(task_id)}`)
  for (const { task_id } of failed)
    if (statusOf.get(task_id) === 'succeeded') found.push(`the task ${task_id} succeeded and is in the error file`)
  return found
}
