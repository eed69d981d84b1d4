/** Has what a run over lines has done kept, and made one file. */
import type { Client } from '@connectrpc/connect'
import type { Lease } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import type { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import type { Clock } from '@millhand/process'
import type { Log } from '@millhand/telemetry'
import { runRefOf } from '../input-files.ts'
import { runFields } from '../lease.ts'
import { retryWhileUnavailable, transferMs } from '../retry-while-unavailable.ts'
import type { Part } from './line-results.ts'

/** Half of what a reader of the tunnel lets its sender be ahead. */
const PIECE_BYTES = 64 * 1024

/** The file of the largest output, and what is beside it. */
const JOIN_MS = transferMs(512 * 2 ** 20)

export interface LinesStore {
  /** Keeps a part. Asked again while nobody can take it. Rejects with what kept it, and with the signal's reason. */
  keep(lease: Lease, part: Part, signal: AbortSignal): Promise<void>
  /** Makes one file of all that is kept; its id. Rejects likewise. */
  join(lease: Lease, signal: AbortSignal): Promise<string>
}

type StoresLines = Pick<Client<typeof LeaseService>, 'storePart' | 'joinParts'>

export function linesStore(leases: StoresLines, clock: Clock, log: Log): LinesStore {
  const again = <R>(lease: Lease, signal: AbortSignal, once: () => Promise<R>) =>
    retryWhileUnavailable(once, {
      clock,
      signal,
      onFailure: error => log.warn('lines.not_kept', { ...runFields(lease), error }),
    })
  return {
    async keep(lease, part, signal) {
      const limits = { signal, timeoutMs: transferMs(part.pieces.reduce((sum, { length }) => sum + length, 0)) }
      await again(lease, signal, () => leases.storePart(messages(lease, part), limits))
    },
    async join(lease, signal) {
      const request = { run: runRefOf(lease) }
      return (await again(lease, signal, () => leases.joinParts(request, { signal, timeoutMs: JOIN_MS }))).fileId
    },
  }
}

async function* messages(lease: Lease, { first, count, failed, pieces }: Part) {
  yield { part: { case: 'lines' as const, value: { run: runRefOf(lease), first, count, failed } } }
  for (const piece of pieces)
    for (let at = 0; at < piece.length; at += PIECE_BYTES)
      yield { part: { case: 'data' as const, value: piece.subarray(at, at + PIECE_BYTES) } }
}
