/** One task of a batch, as its line says it: the body of `POST /v1/tasks`, and a `custom_id`. */
import { type Fault, isFull, isWithin, jsonReader } from '@millhand/api'
import {
  type CreateTaskRequest,
  CreateTaskRequestSchema,
} from '@millhand/api/gen/millhand/compute/v1/task_request_pb.ts'
import { violations } from '@millhand/rpc'

export interface Item {
  readonly customId: string | undefined
  readonly task: CreateTaskRequest
}

export type ItemReading =
  | { readonly ok: true; readonly item: Item }
  /** At least one. Their parameters are the item's own; an empty one is the item itself. */
  | { readonly ok: false; readonly faults: readonly Fault[] }

/** Characters. */
const MOST_CUSTOM_ID = 64

/** Characters of JSON. Compute has the same bound; here it holds before a message is made of them. */
const MOST_PARAMETERS = 16_384

const readTask = jsonReader(CreateTaskRequestSchema)

/** Reads the JSON text of an item strictly, and checks it by the rules of the contract. Never throws. */
export function readItem(text: string | undefined): ItemReading {
  const value = text === undefined ? undefined : parsed(text)
  if (value === undefined) return refused('', 'invalid_json', 'is not valid JSON')
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refused('', 'wrong_type', 'must be a JSON object')
  const { custom_id, ...rest } = value as Readonly<Record<string, unknown>>
  const faults: Fault[] = customIdFaults(custom_id)
  const reading = readTask(rest)
  if (!reading.ok) faults.push(...reading.faults)
  const message = reading.ok ? reading.message : reading.partial
  if (message !== undefined && !isFull(faults)) {
    // What could not be read looks missing; that is no further fault.
    const isNew = ({ param }: Fault) => !faults.some(fault => isWithin(fault.param, param))
    faults.push(...violations(CreateTaskRequestSchema, message).filter(isNew))
    const { parameters } = message
    if (parameters !== undefined && JSON.stringify(parameters).length > MOST_PARAMETERS)
      faults.push(faultOf('parameters', 'too_large', `must be at most ${MOST_PARAMETERS} characters of JSON`))
    if (message.stream) faults.push(faultOf('stream', 'not_allowed', 'is for single tasks: a batch has no stream'))
  }
  if (faults.length > 0 || message === undefined) return { ok: false, faults }
  return { ok: true, item: { customId: (custom_id as string | null | undefined) ?? undefined, task: message } }
}

/** The item of a line that was accepted. Throws for another. */
export function acceptedItem(text: string | undefined): Item {
  const reading = readItem(text)
  if (!reading.ok) throw new Error(`an accepted line is none: ${reading.faults[0]?.message}`)
  return reading.item
}

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
