/** What stands against a request, beside the rules of its message. */
import { type Fault, failFaults } from '@millhand/api'

/** Fails with all of it at once, where there is any. */
export function failIf([first, ...more]: readonly Fault[]): void {
  if (first) throw failFaults([first, ...more])
}
