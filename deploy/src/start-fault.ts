import { ConfigurationError } from '@millhand/process'
import { NoRoomToUpgrade, StoreDamaged, StoreInUse, StoreVersionMismatch } from '@millhand/store/sqlite'

/** Why a process could not start: one clear line for what an operator can mend; the whole error for what only we can. */
export function startFault(error: unknown): string {
  const plain = [ConfigurationError, NoRoomToUpgrade, StoreDamaged, StoreInUse, StoreVersionMismatch]
  if (plain.some(kind => error instanceof kind)) {
    return (error as Error).message
  }
  const { code, message, stack } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return `MILLHAND_HTTP_ADDR: ${message}. Another program listens there; set another address.`
  if (code !== undefined) return `Millhand can't start: ${message}`
  return `Millhand can't start: ${stack ?? message}`
}
