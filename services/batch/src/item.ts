/** One task of a batch, as its line says it: the body of `POST /v1/tasks`, and a `custom_id`. */
import type { DescMessage, MessageShape } from '@bufbuild/protobuf'
import { type Fault, isFull, isWithin, jsonReader } from '@millhand/api'
import type { TaskRequest } from '@millhand/api/gen/millhand/batch/v1/batch_task_service_pb.ts'
import { CreateTaskRequestSchema } from '@millhand/api/gen/millhand/compute/v1/task_request_pb.ts'
import { CreateWorkforceTaskRequestSchema } from '@millhand/api/gen/millhand/workforce/v1/task_pb.ts'
import { violations } from '@millhand/rpc'
import type { ItemKind } from './item-kind.ts'

export interface Item {
  readonly customId: string | undefined
  readonly kind: ItemKind
  readonly request: TaskRequest
}

export type ItemReading =
  | { readonly ok: true; readonly item: Item }
  /** At least one. Their parameters are the item's own; an empty one is the item itself. */
  | { readonly ok: false; readonly faults: readonly Fault[] }

/** Characters. */
const MOST_CUSTOM_ID = 64

/** Bytes of JSON. Workforce has the same bound. */
const MOST_INPUT = 524_288

/** Characters of JSON. Compute has the same bound; here it holds before a message is made of them. */
const MOST_PARAMETERS = 16_384

const readComputeRequest = requestReader(CreateTaskRequestSchema, ({ parameters }) =>
  parameters !== undefined && JSON.stringify(parameters).length > MOST_PARAMETERS
    ? [faultOf('parameters', 'too_large', `must be at most ${MOST_PARAMETERS} characters of JSON`)]
    : [],
)
const readWorkforceRequest = requestReader(CreateWorkforceTaskRequestSchema, ({ input = {} }) =>
  Buffer.byteLength(JSON.stringify(input)) > MOST_INPUT
    ? [faultOf('input', 'too_large', `must be at most ${MOST_INPUT} bytes of JSON. Send what is large as files`)]
    : [],
)

/** Reads the JSON text of an item strictly, and checks it by the rules of the contract. Never throws. */
export function readItem(text: string | undefined): ItemReading {
  const value = text === undefined ? undefined : parsed(text)
  if (value === undefined) return refused('', 'invalid_json', 'is not valid JSON')
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refused('', 'wrong_type', 'must be a JSON object')
  const { custom_id, ...rest } = value as Readonly<Record<string, unknown>>
  const first = customIdFaults(custom_id)
  const customId = (custom_id as string | null | undefined) ?? undefined
  if (kindOf(rest) === 'workforce') {
    const { message, faults } = readWorkforceRequest(rest, first)
    if (faults.length > 0 || message === undefined) return { ok: false, faults }
    return {
      ok: true,
      item: { customId, kind: 'workforce', request: requestOf({ case: 'workforceTask', value: message }) },
    }
  }
  const { message, faults } = readComputeRequest(rest, first)
  if (faults.length > 0 || message === undefined) return { ok: false, faults }
  return { ok: true, item: { customId, kind: 'compute', request: requestOf({ case: 'task', value: message }) } }
}

/** As `POST /v1/tasks` tells them apart. */
export const kindOf = (body: object): ItemKind => (Object.hasOwn(body, 'employee') ? 'workforce' : 'compute')

const requestOf = (kind: TaskRequest['kind']): TaskRequest => ({ $typeName: 'millhand.batch.v1.TaskRequest', kind })

/** Reads requests of a kind: the message, and every fault, those of `before` first. `own` finds those of the kind alone. */
function requestReader<D extends DescMessage>(desc: D, own: (message: MessageShape<D>) => readonly Fault[]) {
  const read = jsonReader(desc)
  return (value: Readonly<Record<string, unknown>>, before: readonly Fault[]) => {
    const faults = [...before]
    const reading = read(value)
    if (!reading.ok) faults.push(...reading.faults)
    const message = reading.ok ? reading.message : reading.partial
    if (message !== undefined && !isFull(faults)) {
      // What could not be read looks missing; that is no further fault.
      const isNew = ({ param }: Fault) => !faults.some(fault => isWithin(fault.param, param))
      faults.push(...violations(desc, message).filter(isNew), ...own(message))
      if ((message as { readonly stream?: unknown }).stream === true)
        faults.push(faultOf('stream', 'not_allowed', 'is for single tasks: a batch has no stream'))
    }
    return { message, faults }
  }
}

/**
 * At most so many bytes of a message are of an item with a text of this length. A character is at most three bytes of
 * UTF-8; the numbers of an employee's input are eleven bytes each, and two characters of JSON at least.
 */
export const messageBytes = ({ kind }: Pick<Item, 'kind'>, { length }: string): number =>
  (kind === 'workforce' ? 6 : 3) * length

/** Bytes of items in one message, which has at most 4 MiB: more only where it is one item. */
export const MOST_MESSAGE_BYTES = 2 ** 21

function customIdFaults(id: unknown): Fault[] {
  if (id === undefined || id === null) return []
  const isText = typeof id === 'string' && id.length > 0 && id.isWellFormed() && !id.includes('\0')
  if (!isText) return [faultOf('custom_id', 'wrong_type', 'must be a string that is not empty')]
  if ([...id.slice(0, 2 * MOST_CUSTOM_ID + 1)].length <= MOST_CUSTOM_ID) return []
  return [faultOf('custom_id', 'max_len', `must be at most ${MOST_CUSTOM_ID} characters`)]
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const faultOf = (param: string, code: string, says: string): Fault => {
  return { param, code, message: `${param === '' ? 'The task' : `\`${param}\``} ${says}.` }
}

const refused = (...fault: Parameters<typeof faultOf>): ItemReading => ({ ok: false, faults: [faultOf(...fault)] })

/** A fault of an item as a fault of the request: `tasks[3].model`. */
export function faultWithin(place: string, { param, code, message }: Fault): Fault {
  const whole = param === '' ? place : `${place}.${param}`
  const subject = param === '' ? 'The task' : `\`${param}\``
  return { param: whole, code, message: message.replace(subject, `\`${whole}\``) }
}
