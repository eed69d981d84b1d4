/** The ids of a batch's tasks, which follow from the batch's id: making a task again makes none twice. */
import { createHash } from 'node:crypto'
import { type Id, type IdPrefix, parseId } from '@millhand/api'

/** Crockford's base32 in lower case, as the TypeID specification has it. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** Of the 26 characters of an id: time, version and the upper 14 bits of the counter. They are the batch's. */
const HEAD = 14
/** The index: 20 bits. */
const INDEX = 4
const TAIL = 26 - HEAD - INDEX

/** The id of the task at an index of a batch. Tasks sort by their index, and have the time of the batch. */
export function taskIdOf<P extends IdPrefix>(prefix: P, batch: Id<'batch'>, index: number): Id<P> {
  const suffix = batch.slice('batch_'.length)
  let text = ''
  for (let rest = index, n = 0; n < INDEX; n++, rest = Math.floor(rest / 32)) text = alphabet.charAt(rest % 32) + text
  return `${prefix}_${suffix.slice(0, HEAD)}${text}${tailOf(suffix)}`
}

/** The index of a task of a batch; undefined for an id that is none of its tasks'. */
export function indexOfTask(prefix: IdPrefix, batch: Id<'batch'>, task: string): number | undefined {
  if (parseId(prefix, task) === undefined) return undefined
  let index = 0
  for (const character of task.slice(-INDEX - TAIL, -TAIL)) index = index * 32 + alphabet.indexOf(character)
  return taskIdOf(prefix, batch, index) === task ? index : undefined
}

/** The batch's own: two batches of one millisecond have no task in common. */
function tailOf(suffix: string): string {
  const digest = createHash('sha256').update(suffix).digest()
  return Array.from({ length: TAIL }, (_, at) => alphabet.charAt((digest[at] as number) % 32)).join('')
}
