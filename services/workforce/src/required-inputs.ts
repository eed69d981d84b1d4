/** What a brief must have some of: from nothing no honest work can come. */
import type { Fault } from '@millhand/api'
import type { PublicKind } from './employee.ts'

interface Given {
  readonly topic?: string | undefined
  readonly input?: Readonly<Record<string, unknown>> | undefined
  readonly files: readonly string[]
}

/** The fault of a request that has none of what its kind needs one of. Text without a character that is seen counts as not given, and so does what is empty. */
export function requiredInputFaults(
  { id, needs = [] }: Pick<PublicKind, 'id' | 'needs'>,
  { input = {}, ...req }: Given,
): Fault[] {
  const { topic, files } = req
  const given: Readonly<Record<string, unknown>> = { ...namedIn(input), topic, files }
  const [first] = needs
  if (first === undefined || needs.some(name => says(given[name]))) return []
  const message = `\`${id}\` needs at least one of ${needs.map(name => `\`${name}\``).join(', ')}.`
  return [{ param: first, code: 'missing_parameter', message }]
}

const namedIn = (input: object) =>
  Object.fromEntries(Object.entries(input).map(([name, value]) => [`input.${name}`, value]))

function says(value: unknown): boolean {
  if (typeof value === 'string') return isSeen(value)
  if (typeof value === 'object' && value !== null) return Object.values(value).some(says)
  return value !== undefined && value !== null
}

/** Whether a text has a character that a reader sees. */
const isSeen = (text: string): boolean => /[^\s\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/u.test(text)
