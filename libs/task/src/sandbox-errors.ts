import { fail, isProblemCode } from '@millhand/api'
import type { SandboxInput } from '@millhand/model'

/** Answers with the error that an input asked the sandbox for, where it is one that a create can be answered with. */
export function failAsInstructed(asked: SandboxInput | undefined): void {
  if (asked?.kind !== 'error' || !isProblemCode(asked.code)) return
  throw fail(asked.code, 'The input asked the sandbox for this answer.', { metadata: { intended: 'sandbox' } })
}
