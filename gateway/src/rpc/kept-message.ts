/** Answers of RPC as an idempotency key keeps them. */
import { createHash } from 'node:crypto'
import { type DescMethod, fromBinary, toBinary, toJson } from '@bufbuild/protobuf'
import { type Fault, fail, metadataOf, type ProblemCode, problemOf } from '@millhand/api'
import type { Message } from '../pipeline/call.ts'
import type { BodyReply } from '../reply.ts'

/** SHA-256 of a method and its request. Encodings of one message differ: it is the same over each protocol and codec. */
export function fingerprintOf(method: DescMethod, request: Message): Buffer {
  const name = `${method.parent.typeName}/${method.name}`
  const text = JSON.stringify(toJson(method.input, request), sorted)
  return createHash('sha256').update(`${name}\n${text}`).digest()
}

/** A replacer of JSON: maps come in any order. */
const sorted = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value

export const replyOfMessage = (method: DescMethod, status: number, message: Message): BodyReply => ({
  kind: 'body',
  status,
  headers: [],
  body: Buffer.from(toBinary(method.output, message)),
})

export function replyOfFailure(error: unknown): BodyReply {
  const { code, status, detail, errors } = problemOf(error, '')
  const kept: KeptFailure = { code, detail, ...(errors && { errors }), metadata: metadataOf(error) }
  return { kind: 'body', status, headers: [], body: JSON.stringify(kept) }
}

interface KeptFailure {
  readonly code: ProblemCode
  readonly detail: string
  readonly errors?: readonly Fault[]
  readonly metadata: Readonly<Record<string, string>>
}

/** The message that a reply is. Fails as the call did whose failure it is. */
export function messageOf(method: DescMethod, { status, body = '' }: BodyReply): Message {
  const bytes = Buffer.from(body)
  if (status < 400) return fromBinary(method.output, bytes)
  const { code, detail, errors, metadata }: KeptFailure = JSON.parse(bytes.toString())
  throw fail(code, detail, { metadata, ...(errors && { errors }) })
}
