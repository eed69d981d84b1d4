/** Outputs too large for a result, and artifacts, sent as files that results then name. docs/decisions/files.md, "An output file". */

import type { Client } from '@connectrpc/connect'
import { codeOf } from '@millhand/api'
import type { Lease, LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import type { Artifact, OutputFile } from '@millhand/child-process'
import type { Clock } from '@millhand/process'
import type { Log } from '@millhand/telemetry'
import { runOf } from './input-files.ts'
import { retryWhileUnavailable, transferMs } from './retry-while-unavailable.ts'

/** Half of what a reader of the tunnel lets its sender be ahead. */
const PART_BYTES = 64 * 1024

/** An output, in a file or in memory; an artifact, which is in memory, has a name. */
export type Sent = OutputFile | Pick<Artifact, 'bytes'> | Artifact

/**
 * Sends one; the id of the file that it became. Again while nobody can take it. Rejects with what kept it, and with
 * the signal's reason.
 */
export const outputFiles =
  (leases: Pick<Client<typeof LeaseService>, 'storeOutput'>, clock: Clock, log: Log) =>
  async (lease: Lease, file: Sent, signal: AbortSignal): Promise<string> => {
    const limits = { signal, timeoutMs: transferMs(sizeOf(file)) }
    const onFailure = (error: unknown) => log.warn('output.not_stored', { task_id: lease.workId, error })
    const once = () => leases.storeOutput(messages(lease, file), limits)
    return (await retryWhileUnavailable(once, { clock, signal, onFailure })).fileId
  }

const sizeOf = ({ bytes }: Sent): number => (typeof bytes === 'number' ? bytes : bytes.length)

async function* messages(lease: Lease, file: Sent) {
  const artifact = 'name' in file && { artifact: { name: file.name, mediaType: file.mediaType } }
  yield { part: { case: 'run' as const, value: runOf(lease) }, ...artifact }
  const size = sizeOf(file)
  for (let at = 0; at < size; ) {
    const value = await partAt(file, at, Math.min(PART_BYTES, size - at))
    yield { part: { case: 'data' as const, value } }
    at += value.length
  }
}

async function partAt(file: Sent, at: number, length: number): Promise<Uint8Array> {
  if (!('handle' in file)) return file.bytes.subarray(at, at + length)
  const { buffer, bytesRead } = await file.handle.read(Buffer.alloc(length), 0, undefined, at)
  if (bytesRead === 0) throw new Error('the output has become shorter')
  return buffer.subarray(0, bytesRead)
}

/** What becomes of a task whose output could not be stored; `lost` where its lease is. */
export function faultOfSending(error: unknown) {
  switch (codeOf(error)) {
    case 'conflict':
      return 'lost'
    case 'storage_quota_exceeded':
      return {
        code: 'storage_quota_exceeded',
        message: 'The output needs a file, and the account’s files hold as much as they may.',
        retryable: false,
      }
    default:
      return {
        code: 'output_not_stored',
        message: 'The file that has the output could not be stored.',
        retryable: true,
      }
  }
}
