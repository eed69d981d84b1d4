/** A conversation, as a model that generates text reads it. */
import { isObject } from './is-object.ts'
import { InputInvalid, parseJson } from './tensors.ts'

export interface Message {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

const ROLES: ReadonlySet<unknown> = new Set<Message['role']>(['system', 'user', 'assistant'])
const MOST_MESSAGES = 256

/** A JSON list of messages, of which the last is the user's. Throws `InputInvalid`. */
export function readMessages(text: string): readonly Message[] {
  const list = parseJson(text)
  if (!Array.isArray(list) || list.length === 0 || list.length > MOST_MESSAGES)
    throw new InputInvalid(`the input must be a JSON list of 1 to ${MOST_MESSAGES} messages`)
  const messages = list.map(readMessage)
  if (messages.at(-1)?.role !== 'user') throw new InputInvalid('the last message must have the role `user`')
  return messages
}

function readMessage(value: unknown, index: number): Message {
  const wrong = (what: string) => new InputInvalid(`message ${index} of the input ${what}`)
  if (!isObject(value)) throw wrong('must be an object with `role` and `content`')
  const { role, content, ...more } = value
  if (!ROLES.has(role)) throw wrong('must have a `role`: system, user or assistant')
  if (role === 'system' && index > 0) throw wrong('has the role `system`, which is for the first message')
  if (typeof content !== 'string' || content === '') throw wrong('must have `content`: a string that is not empty')
  if (Object.keys(more).length > 0) throw wrong('has another field than `role` and `content`')
  return { role: role as Message['role'], content }
}
