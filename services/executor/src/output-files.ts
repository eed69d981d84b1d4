/** Outputs too large for a result, sent as files that results then name. docs/decisions/files.md, "An output file". */
import type { Client } from '@connectrpc/connect'
import { codeOf } from '@millhand/api'
import type { Lease, LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import type { Clock } from '@millhand/runner'
import type { Log } from '@millhand/telemetry'
import { runOf } from './input-files.ts'
import type { OutputFile } from './model-runner.ts'
import { transferMs, whileAway } from './while-away.ts'

/** Half of what a reader of the tunnel lets its sender be ahead. */
const PART_BYTES = 64 * 1024

/**
 * Sends an output; the id of the file that it became. Again while nobody can take it. Rejects with what kept it, and with
 * the signal's reason.
 */
export const outputFiles =
  (leases: Pick<Client<typeof LeaseService>, 'storeOutput'>, clock: Clock, log: Log) =>
  async (lease: Lease, file: OutputFile, signal: AbortSignal): Promise<string> => {
    const limits = { signal, timeoutMs: transferMs(file.bytes) }
    const onFailure = (error: unknown) => log.warn('output.not_stored', { task_id: lease.workId, error })
    const once = () => leases.storeOutput(messages(lease, file), limits)
    return (await whileAway(once, { clock, signal, onFailure })).fileId
  }

async function* messages(lease: Lease, { handle, bytes }: OutputFile) {
  yield { part: { case: 'run' as const, value: runOf(lease) } }
  for (let at = 0; at < bytes; ) {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.min(PART_BYTES, bytes - at)), 0, undefined, at)
    if (bytesRead === 0) throw new Error('the output has become shorter')
    yield { part: { case: 'data' as const, value: buffer.subarray(0, bytesRead) } }
    at += bytesRead
  }
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
