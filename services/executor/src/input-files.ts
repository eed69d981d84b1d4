/** Files that are inputs of runs, read before the run into a folder that goes after it. docs/decisions/files.md, "In tasks". */
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from '@connectrpc/connect'
import { codeOf } from '@millhand/api'
import type { Lease, LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import type { Clock } from '@millhand/runner'
import type { Log } from '@millhand/telemetry'
import type { InputFile } from './model-runner.ts'
import { makeFolder, removeFolder } from './own-folder.ts'
import { transferMs, whileAway } from './while-away.ts'

/** What the input files of one run may have together: on the disk of an executor, so much for each of its slots. */
export const MOST_BYTES_A_RUN = 2 ** 30

/** The input files of one run. */
export interface InputFiles {
  /**
   * Reads the file that is a lease's input, again while nobody can give it. Rejects with what kept it, and with the
   * signal's reason.
   */
  read(lease: Lease, signal: AbortSignal): Promise<InputFile>
  /** Removes them. Idempotent. */
  close(): void
}

type ReadsInputs = Pick<Client<typeof LeaseService>, 'readInput'>

export function inputFiles(leases: ReadsInputs, clock: Clock, log: Log): InputFiles {
  let folder: string | undefined
  let count = 0
  return {
    async read(lease, signal) {
      const onFailure = (error: unknown) => log.warn('input.not_read', { task_id: lease.workId, error })
      const name = String(count++)
      const once = () => {
        folder ??= makeFolder('inputs')
        return read(leases, lease, join(folder, name), signal)
      }
      return await whileAway(once, { clock, signal, onFailure })
    },
    close() {
      if (folder !== undefined) removeFolder(folder, log)
      folder = undefined
    },
  }
}

async function read(leases: ReadsInputs, lease: Lease, path: string, signal: AbortSignal): Promise<InputFile> {
  const bytes = lease.inputFileBytes ?? 0
  const reading = new AbortController() // Connect's clients don't hear of a loop that ends early.
  const limits = { signal: AbortSignal.any([signal, reading.signal]), timeoutMs: transferMs(bytes) }
  await using file = await open(path, 'w', 0o600)
  let written = 0
  try {
    for await (const { data } of leases.readInput({ run: runOf(lease) }, limits)) {
      written += data.length
      if (written > bytes) break
      await file.writeFile(data)
    }
  } finally {
    reading.abort()
  }
  if (written !== bytes) throw new Error(`there are not ${bytes} bytes, as the lease says`)
  return { path, bytes }
}

/** How a run is named in calls about its files. */
export const runOf = ({ id: leaseId, tenant, workId, attempt }: Lease) => ({ leaseId, tenant, workId, attempt })

/** What becomes of a task whose input could not be read; `lost` where its lease is, `away` where nobody was there. */
export function faultOfReading(error: unknown) {
  switch (codeOf(error)) {
    case 'conflict':
      return 'lost'
    case 'unavailable':
      return 'away'
    case 'not_found':
      return { code: 'input_missing', message: 'The file that is the input is not there any more.', retryable: false }
    default:
      return { code: 'input_unreadable', message: 'The file that is the input could not be read.', retryable: true }
  }
}
