/**
 * How many batches of a tenant have not ended, and how many bytes their lines have, which lie beside the tenant's files.
 * One process never lets in too much. Of several each knows of the others by what is in the store: together they can be
 * over by one batch for each of them.
 */
import { fail } from '@millhand/api'
import { KeyedMutex } from '@millhand/process'
import type { Batches } from './batch.ts'

/** What a batch that is being accepted takes of the limits. */
export interface Reservation {
  /** Counts bytes of its lines as they are read. Fails with `queue_full`. */
  add(bytes: number): void
  /** Makes the batch where there is room for it still. Fails with `queue_full`. */
  commit<R>(insert: () => Promise<R>): Promise<R>
  /** It is not accepted any more. Idempotent. */
  end(): void
}

export interface ActiveLimits {
  /** Fails with `queue_full` where there is no room for one more. */
  begin(tenant: string): Promise<Reservation>
}

const MOST_BATCHES = 100
const MOST_BYTES = 2 ** 30

interface Known {
  /** Being accepted, and their bytes so far. */
  reservations: number
  bytes: number
  /** What those in the store have. */
  stored: number
}

export function createActiveLimits({ batches }: { readonly batches: Pick<Batches, 'find'> }): ActiveLimits {
  const mutex = new KeyedMutex()
  const tenants = new Map<string, Known>()

  /** Reads what is in the store; fails where that and what is being accepted leave no room for one more. */
  async function requireRoom(tenant: string, known: Known, bytes: number): Promise<void> {
    const active = await batches.find('active', { equals: [tenant], limit: MOST_BATCHES })
    known.stored = active.reduce((sum, batch) => sum + batch.lines_bytes, 0)
    if (active.length + known.reservations >= MOST_BATCHES)
      throw full(`The account has ${MOST_BATCHES} batches that have not ended, which is as many as it may have.`)
    requireBytes(known, bytes)
  }

  return {
    begin: tenant =>
      mutex.runExclusive(tenant, async () => {
        const known = tenants.get(tenant) ?? { reservations: 0, bytes: 0, stored: 0 }
        await requireRoom(tenant, known, 0)
        tenants.set(tenant, known)
        known.reservations++
        let counted = 0
        let isOver = false
        const end = () => {
          if (isOver) return
          isOver = true
          known.bytes -= counted
          if (--known.reservations === 0) tenants.delete(tenant)
        }
        return {
          add(bytes) {
            requireBytes(known, bytes)
            counted += bytes
            known.bytes += bytes
          },
          commit: insert =>
            mutex.runExclusive(tenant, async () => {
              end()
              await requireRoom(tenant, known, counted)
              const inserted = await insert()
              known.stored += counted
              return inserted
            }),
          end,
        }
      }),
  }
}

function requireBytes({ stored, bytes: underWay }: Known, bytes: number): void {
  if (stored + underWay + bytes <= MOST_BYTES) return
  const most = MOST_BYTES.toLocaleString('en')
  throw full(
    `The tasks of the account's batches that have not ended may have ${most} bytes together, and have no room.`,
  )
}

const full = (detail: string) => fail('queue_full', detail, { retryAfterS: 1 })
