/** From the lines of a request to a blob of lines that are checked: all of them, or none. */
import { Readable } from 'node:stream'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { type Fault, fail, failFaults, isFull } from '@millhand/api'
import type { Blobs } from '@millhand/blob'
import { hasScope, type Principal } from '@millhand/rpc'
import type { TraceContext } from '@millhand/telemetry'
import { faultWithin, type Item, MOST_MESSAGE_BYTES, messageBytes, readItem } from './item.ts'
import { type ItemKind, itemKinds, type TaskClients } from './item-kind.ts'
import { onBehalfOf, unlessUnimplemented } from './on-behalf-of.ts'

/** A line as it was sent. */
export interface SentLine {
  /** Undefined where it is not valid UTF-8. */
  readonly text: string | undefined
  /** How faults name it: `tasks[3]`. */
  readonly path: string
  /** It is longer than a line may be, and was not read; nor were those after it. */
  readonly isTooLong?: boolean
}

/** As of the body of `POST /v1/tasks`. */
export const MOST_LINE_BYTES = 1_048_576

export interface AcceptanceDeps {
  readonly blobs: Blobs
  readonly tasks: TaskClients
}

interface Accept {
  readonly caller: Principal
  /** The most lines there may be, and the parameter that has them. */
  readonly most: number
  readonly param: string
  /** The batch that is to be made of them, by which attempt, and until when that holds what they name (ms since 1970). */
  readonly batch: { readonly id: string; readonly attempt: string; readonly holdUntil: number }
  /** Where they are kept. */
  readonly key: string
  readonly signal: AbortSignal
  /** Of the request. */
  readonly trace?: TraceContext | undefined
  /** Hears how many bytes are about to be kept; what it throws ends it. */
  readonly onBytes: (bytes: number) => void
}

interface AcceptedLines {
  readonly total: number
  readonly bytes: number
  /** Whether some name an employee. */
  readonly withEmployees: boolean
  /** Whether some name files, or models of the account, which are held. */
  readonly withInputs: boolean
}

/** Faults are shown in the order of their lines. */
interface LineFault extends Fault {
  /** Counts from 1. */
  readonly line: number
}

/** Tasks that are checked in one call. */
const PAGE = 500

/**
 * Keeps the lines, in their order and without blank ones, where every one is a task that can be made; resolves with what
 * they are together. Else it fails with every fault that an answer shows, and keeps nothing.
 */
export async function acceptLines(
  { blobs, tasks }: AcceptanceDeps,
  sent: AsyncIterable<SentLine> | Iterable<SentLine>,
  { caller, batch, most, param, key, signal, trace, onBytes }: Accept,
): Promise<AcceptedLines> {
  const faults: LineFault[] = []
  const customIds = new Map<string, string>()
  let page: { readonly item: Item; readonly path: string; readonly line: number }[] = []
  let pageBytes = 0
  let total = 0
  const totals: Record<ItemKind, number> = { compute: 0, workforce: 0 }

  const { id: batchId } = batch
  const held = new Set<string>()

  async function checkPage(): Promise<void> {
    const checked = page
    page = []
    pageBytes = 0
    if (checked.length === 0) return
    // Before they are looked for: what is found then stays.
    const inputs = checked.flatMap(({ item }) => inputsOf(item)).filter(id => !held.has(id))
    for (const id of inputs) held.add(id)
    await holdInputs(tasks, [...new Set(inputs)], { caller, batch, signal, trace })
    const found = await Promise.all(
      itemKinds.map(async kind => {
        const own = checked.filter(({ item }) => item.kind === kind)
        if (own.length === 0) return []
        const asked = { batchId, tasks: own.map(({ item }) => item.request) }
        const { faults } = await tasks[kind].checkTasks(asked, onBehalfOf(caller, signal, { trace }))
        return faults.map(fault => {
          const { path = param, line = total } = own[fault.index] ?? {}
          return { ...faultWithin(path, fault), line }
        })
      }),
    )
    faults.push(...found.flat())
  }

  async function take({ text, path, isTooLong }: SentLine): Promise<void> {
    const line = total
    if (isTooLong) {
      const message = `\`${path}\` has more than ${MOST_LINE_BYTES} bytes. No line after it was checked.`
      return void faults.push({ param: path, code: 'too_long', message, line })
    }
    const reading = readItem(text)
    if (!reading.ok) return void faults.push(...reading.faults.map(fault => ({ ...faultWithin(path, fault), line })))
    const { item } = reading
    if (item.kind === 'workforce') requireWorkforce(caller, path)
    totals[item.kind]++
    const before = item.customId === undefined ? undefined : customIds.get(item.customId)
    if (before !== undefined) {
      const message = `\`${path}.custom_id\` is that of \`${before}\` too; it must be unique within the batch.`
      faults.push({ param: `${path}.custom_id`, code: 'not_unique', message, line })
    } else if (item.customId !== undefined) customIds.set(item.customId, path)
    const bytes = messageBytes(item, text ?? '')
    if (page.length === PAGE || pageBytes + bytes > MOST_MESSAGE_BYTES) await checkPage()
    page.push({ item, path, line })
    pageBytes += bytes
  }

  async function* checked(): AsyncGenerator<Buffer, void> {
    for await (const line of sent) {
      total++
      if (total > most) {
        faults.push({ param, code: 'too_many', message: `\`${param}\` must have at most ${most} tasks.`, line: total })
        break
      }
      await take(line)
      if (isFull(faults)) break
      if (faults.length > 0) continue
      // Between tokens of JSON, where alone it may be, a newline is a space.
      const kept = Buffer.from(`${line.text?.replaceAll('\n', ' ')}\n`)
      onBytes(kept.length)
      yield kept
    }
    if (!isFull(faults)) await checkPage()
    if (total === 0) faults.push({ param, code: 'too_few', message: `\`${param}\` has no tasks.`, line: 0 })
    // The put breaks off with this, and keeps nothing.
    const [first, ...others] = faults.toSorted((a, b) => a.line - b.line).map(({ line: _, ...fault }): Fault => fault)
    if (first !== undefined) throw failFaults([first, ...others])
    for (const kind of itemKinds)
      if (totals[kind] > 0) await tasks[kind].checkTasks({ batchId, total: totals[kind] }, onBehalfOf(caller, signal))
  }

  const content = Readable.from(checked(), { objectMode: false })
  const { size } = await blobs.put(key, content, { signal }).catch(error => {
    if (signal.aborted) throw fail('unavailable', 'The request was ended.', { cause: error })
    throw error
  })
  return { total, bytes: size, withEmployees: totals.workforce > 0, withInputs: held.size > 0 }
}

/** As many as a call takes. */
const MOST_HELD_AT_ONCE = 1_000

async function holdInputs(
  { compute }: AcceptanceDeps['tasks'],
  ids: readonly string[],
  { caller, batch, signal, trace }: Pick<Accept, 'caller' | 'batch' | 'signal' | 'trace'>,
): Promise<void> {
  const until = timestampFromMs(batch.holdUntil)
  for (let at = 0; at < ids.length; at += MOST_HELD_AT_ONCE) {
    const some = ids.slice(at, at + MOST_HELD_AT_ONCE)
    const asked = { batchId: batch.id, attempt: batch.attempt, ids: some, until }
    await unlessUnimplemented(compute.holdInputs(asked, onBehalfOf(caller, signal, { trace })))
  }
}

/** The files, and models of accounts, that a task names. */
function inputsOf({ request: { kind } }: Item): string[] {
  if (kind.case === 'workforceTask') return kind.value.files
  if (kind.case !== 'task') return []
  const { model, inputFile = '' } = kind.value
  return [model, inputFile].filter(id => /^(file|model)_/.test(id))
}

/** As `POST /v1/tasks` with an employee. */
function requireWorkforce(caller: Principal, path: string): void {
  const scope = 'workforce:write'
  if (hasScope(caller, scope)) return
  const detail = `\`${path}\` names an employee, and the key does not hold the scope \`${scope}\`.`
  throw fail('insufficient_scope', detail, { metadata: { scope } })
}
