/** Files that are inputs of runs, read before the run into a folder that goes after it. docs/decisions/files.md, "In tasks". */

import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { MessageInitShape } from '@bufbuild/protobuf'
import type { Client } from '@connectrpc/connect'
import { codeOf } from '@millhand/api'
import type { Lease } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import type { LeaseService, ReadInputRequestSchema } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { type AttachedFile, type InputFile, makeTempFolder, removeTempFolder } from '@millhand/child-process'
import type { Clock } from '@millhand/process'
import type { Log } from '@millhand/telemetry'
import { runFields } from './lease.ts'
import { retryWhileUnavailable, transferMs } from './retry-while-unavailable.ts'

/** Of a lease: the bytes of its files. */
export const bytesGiven = ({ inputFileBytes = 0, files }: Lease): number =>
  files.reduce((sum, { bytes }) => sum + bytes, inputFileBytes)

/** What the input files of one run may have together: on the disk of an executor, so much for each of its slots. */
export const MOST_BYTES_A_RUN = 2 ** 30

/** What is received while the disk writes is written together. */
const AHEAD_BYTES = 512 * 1024

/** The input files of one run. */
export interface InputFiles {
  /**
   * Reads the file that is a lease's input, again while nobody can give it. Rejects with what kept it, and with the
   * signal's reason.
   */
  read(lease: Lease, signal: AbortSignal): Promise<InputFile>
  /** The same of the files that come beside a lease's input, into memory. */
  given(lease: Lease, signal: AbortSignal): Promise<readonly AttachedFile[]>
  /** Removes them. Idempotent. */
  close(): void
}

type ReadsInputs = Pick<Client<typeof LeaseService>, 'readInput'>

export function inputFiles(leases: ReadsInputs, clock: Clock, log: Log): InputFiles {
  let folder: string | undefined
  let count = 0
  const again = <R>(lease: Lease, signal: AbortSignal, once: () => Promise<R>) =>
    retryWhileUnavailable(once, {
      clock,
      signal,
      onFailure: error => log.warn('input.not_read', { ...runFields(lease), error }),
    })
  return {
    async read(lease, signal) {
      const name = String(count++)
      return await again(lease, signal, () => {
        folder ??= makeTempFolder('inputs')
        return read(leases, lease, join(folder, name), signal)
      })
    },
    async given(lease, signal) {
      const files: AttachedFile[] = []
      for (const [file, { name, mediaType, bytes }] of lease.files.entries()) {
        const content = await again(lease, signal, () => readGiven(leases, lease, file, bytes, signal))
        files.push({ name, mediaType, bytes: content })
      }
      return files
    },
    close() {
      if (folder !== undefined) removeTempFolder(folder, log)
      folder = undefined
    },
  }
}

async function read(leases: ReadsInputs, lease: Lease, path: string, signal: AbortSignal): Promise<InputFile> {
  const bytes = lease.inputFileBytes ?? 0
  const file = createWriteStream(path, { mode: 0o600, highWaterMark: AHEAD_BYTES })
  await pipeline(receive(leases, { run: runRefOf(lease) }, bytes, signal), file)
  return { path, bytes }
}

async function readGiven(leases: ReadsInputs, lease: Lease, file: number, bytes: number, signal: AbortSignal) {
  return Buffer.concat(await Array.fromAsync(receive(leases, { run: runRefOf(lease), file }, bytes, signal)))
}

async function* receive(
  leases: ReadsInputs,
  request: MessageInitShape<typeof ReadInputRequestSchema>,
  bytes: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const reading = new AbortController() // Connect's clients don't hear of a loop that ends early.
  const limits = { signal: AbortSignal.any([signal, reading.signal]), timeoutMs: transferMs(bytes) }
  let received = 0
  try {
    for await (const { data } of leases.readInput(request, limits)) {
      received += data.length
      if (received > bytes) break
      yield data
    }
  } finally {
    reading.abort()
  }
  if (received !== bytes) throw new Error(`there are not ${bytes} bytes, as the lease says`)
}

/** How a run is named in calls about its files. */
export const runRefOf = ({ id: leaseId, tenant, workId, attempt }: Lease) => ({ leaseId, tenant, workId, attempt })

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
