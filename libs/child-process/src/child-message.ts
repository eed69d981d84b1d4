/**
 * What a child says: a short head, JSON, and parts that nobody parses to read it. So what its parent holds is about as
 * large as what came: structured clone and JSON make of three bytes an object of fifty.
 */
export interface ChildMessage {
  /** JSON, of any form. */
  readonly head: unknown
  readonly parts: readonly Buffer[]
}

/** What a head may have, in bytes: parsed it may be twenty times that. */
export const MAX_HEAD_BYTES = 4 * 2 ** 20
const MAX_PARTS = 2_048
const NUMBER_BYTES = 4

/** The payload of a frame. */
export function encodeMessage(head: object, parts: readonly (string | Uint8Array)[]): Buffer {
  const all = [JSON.stringify(head), ...parts].map(part => (typeof part === 'string' ? Buffer.from(part) : part))
  const lengths = Buffer.alloc(NUMBER_BYTES * (all.length + 1))
  for (const [at, number] of [all.length, ...all.map(part => part.length)].entries())
    lengths.writeUInt32LE(number, NUMBER_BYTES * at)
  return Buffer.concat([lengths, ...all])
}

/** Undefined for what is not written like that. */
export function decodeMessage(payload: Buffer): ChildMessage | undefined {
  if (payload.length < NUMBER_BYTES) return undefined
  const count = payload.readUInt32LE()
  let at = NUMBER_BYTES * (count + 1)
  if (count < 1 || count > MAX_PARTS + 1 || at > payload.length) return undefined
  const all: Buffer[] = []
  for (let one = 1; one <= count; one++) {
    const end = at + payload.readUInt32LE(NUMBER_BYTES * one)
    all.push(payload.subarray(at, end))
    at = end
  }
  const [head, ...parts] = all as [Buffer, ...Buffer[]]
  if (at !== payload.length || head.length > MAX_HEAD_BYTES) return undefined
  try {
    return { head: JSON.parse(head.toString()), parts }
  } catch {
    return undefined
  }
}
