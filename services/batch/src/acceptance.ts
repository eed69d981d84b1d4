/** From the lines of a request to a blob of lines that are checked: all of them, or none. */
import { Readable } from 'node:stream'
import type { Client } from '@connectrpc/connect'
import { type Fault, fail, failFaults, isFull } from '@millhand/api'
import type { BatchTaskService } from '@millhand/api/gen/millhand/compute/v1/batch_task_service_pb.ts'
import type { Blobs } from '@millhand/blob'
import type { Principal } from '@millhand/rpc'
import { faultWithin, type Item, readItem } from './item.ts'
import { onBehalfOf } from './on-behalf-of.ts'

/** A line as it came. */
export interface SentLine {
  /** Undefined where it is not valid UTF-8. */
  readonly text: string | undefined
  /** How faults name it: `tasks[3]`. */
  readonly place: string
}

export interface AcceptanceDeps {
  readonly blobs: Blobs
  readonly tasks: Client<typeof BatchTaskService>
}

interface Accept {
  readonly caller: Principal
  /** The most lines there may be, and the parameter that has them. */
  readonly most: number
  readonly param: string
  /** Where they are kept. */
  readonly key: string
  readonly signal: AbortSignal
  /** Hears how many bytes are about to be kept; what it throws ends it. */
  readonly onBytes: (bytes: number) => void
}

/** Characters of JSON, and tasks, that are checked in one call: UTF-8 has at most three bytes for each. */
const PAGE_LENGTH = 524_288
const PAGE = 500

/**
 * Keeps the lines, in their order and without blank ones, where every one is a task that can be made; resolves with how
 * many there are, and how many bytes. Else it fails with every fault that an answer shows, and keeps nothing.
 */
export async function acceptLines(
  { blobs, tasks }: AcceptanceDeps,
  sent: AsyncIterable<SentLine> | Iterable<SentLine>,
  { caller, most, param, key, signal, onBytes }: Accept,
): Promise<{ readonly total: number; readonly bytes: number }> {
  const faults: Fault[] = []
  const customIds = new Map<string, string>()
  let page: { readonly item: Item; readonly place: string }[] = []
  let pageLength = 0
  let total = 0

  async function checkPage(): Promise<void> {
    const checked = page
    page = []
    pageLength = 0
    if (checked.length === 0) return
    const options = onBehalfOf(caller, signal)
    const { faults: found } = await tasks.checkTasks({ tasks: checked.map(({ item }) => item.task) }, options)
    for (const fault of found) faults.push(faultWithin(checked[fault.index]?.place ?? param, fault))
  }

  function take({ text, place }: SentLine): void {
    const reading = readItem(text)
    if (!reading.ok) return void faults.push(...reading.faults.map(fault => faultWithin(place, fault)))
    const { item } = reading
    const before = item.customId === undefined ? undefined : customIds.get(item.customId)
    if (before !== undefined) {
      const message = `\`${place}.custom_id\` is that of \`${before}\` too; it must be unique within the batch.`
      faults.push({ param: `${place}.custom_id`, code: 'not_unique', message })
    } else if (item.customId !== undefined) customIds.set(item.customId, place)
    page.push({ item, place })
    pageLength += text?.length ?? 0
  }

  async function* checked(): AsyncGenerator<Buffer, void> {
    for await (const line of sent) {
      total++
      if (total > most) {
        faults.push({ param, code: 'too_many', message: `\`${param}\` must have at most ${most} tasks.` })
        break
      }
      take(line)
      if (page.length === PAGE || pageLength > PAGE_LENGTH) await checkPage()
      if (isFull(faults)) break
      if (faults.length > 0) continue
      const kept = Buffer.from(`${line.text}\n`)
      onBytes(kept.length)
      yield kept
    }
    if (!isFull(faults)) await checkPage()
    if (total === 0) faults.push({ param, code: 'too_few', message: `\`${param}\` has no tasks.` })
    // The put breaks off with this, and keeps nothing.
    const [first, ...others] = faults
    if (first !== undefined) throw failFaults([first, ...others])
  }

  const content = Readable.from(checked(), { objectMode: false })
  const { size } = await blobs.put(key, content, { signal }).catch(error => {
    if (signal.aborted) throw fail('unavailable', 'The request was ended.', { cause: error })
    throw error
  })
  return { total, bytes: size }
}
