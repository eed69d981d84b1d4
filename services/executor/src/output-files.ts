/** Outputs too large for a result, and artifacts, sent as files that results then name. docs/decisions/files.md, "An output file". */

import type { Client } from '@connectrpc/connect'
import { codeOf } from '@millhand/api'
import type { Lease } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import type { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import type { Artifact, ItemResult, OutputFile } from '@millhand/child-process'
import type { Clock } from '@millhand/process'
import type { Log } from '@millhand/telemetry'
import { runRefOf } from './input-files.ts'
import { type HeldLease, runFields } from './lease.ts'
import { failure, type Outcome } from './outcome.ts'
import { uploadInParallel } from './parallel-uploads.ts'
import { fits } from './result-limit.ts'
import { retryWhileUnavailable, transferMs } from './retry-while-unavailable.ts'
import type { Transfers } from './transfers.ts'

/** Half of what a reader of the tunnel lets its sender be ahead. */
const PART_BYTES = 64 * 1024

/** An output, in a file or in memory; an artifact, which is in memory, has a name. */
export type Sent = OutputFile | Pick<Artifact, 'bytes'> | Artifact

/**
 * Sends one; the id of the file that it became. Again while nobody can take it. Rejects with what kept it, and with
 * the signal's reason.
 */
export type SendOutput = (lease: Lease, file: Sent, signal: AbortSignal) => Promise<string>

export const outputFiles =
  (leases: Pick<Client<typeof LeaseService>, 'storeOutput'>, clock: Clock, log: Log): SendOutput =>
  async (lease, file, signal) => {
    const limits = { signal, timeoutMs: transferMs(sizeOf(file)) }
    const onFailure = (error: unknown) => log.warn('output.not_stored', { ...runFields(lease), error })
    const once = () => leases.storeOutput(messages(lease, file), limits)
    return (await retryWhileUnavailable(once, { clock, signal, onFailure })).fileId
  }

const sizeOf = ({ bytes }: Sent): number => (typeof bytes === 'number' ? bytes : bytes.length)

async function* messages(lease: Lease, file: Sent) {
  const artifact = 'name' in file && { artifact: { name: file.name, mediaType: file.mediaType } }
  yield { part: { case: 'run' as const, value: runRefOf(lease) }, ...artifact }
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
function faultOfSending(error: unknown) {
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

interface OutputSenderDeps {
  readonly transfers: Transfers
  readonly sendOutput: SendOutput
  /** The outcome of a lease that is stopped. */
  readonly ofStop: (one: HeldLease) => Outcome
  readonly answer: (one: HeldLease, outcome: Outcome, computeMs: number, files?: readonly string[]) => void
}

/** Sends the files of one run's leases, then answers the leases. `ms`: what each run took. */
export class OutputSender {
  readonly #deps: OutputSenderDeps

  constructor(deps: OutputSenderDeps) {
    this.#deps = deps
  }

  async output(one: HeldLease, file: OutputFile, ms: number): Promise<void> {
    try {
      const [value] = (await this.#sendAll(one, [file], ms)) ?? []
      if (value !== undefined) this.#deps.answer(one, { case: 'outputFile', value }, ms)
    } finally {
      await file.handle.close()
    }
  }

  /** Artifacts go first: the output has their ids. */
  async artifacts(one: HeldLease, { artifacts, outputOf }: WithArtifacts, ms: number): Promise<void> {
    const files = await this.#sendAll(one, artifacts, ms)
    if (files === undefined) return
    const output = outputOf(files)
    if (fits(output)) return this.#deps.answer(one, { case: 'output', value: output }, ms, files)
    const [value] = (await this.#sendAll(one, [{ bytes: Buffer.from(output) }], ms)) ?? []
    if (value !== undefined) this.#deps.answer(one, { case: 'outputFile', value }, ms, files)
  }

  /** The ids of the files, in their order; undefined where one could not be stored, and the lease is answered. */
  async #sendAll(one: HeldLease, files: readonly Sent[], ms: number): Promise<readonly string[] | undefined> {
    const { transfers, sendOutput, ofStop, answer } = this.#deps
    try {
      return await transfers.of(one, signal =>
        uploadInParallel(files, signal, (file, ends) => sendOutput(one.lease, file, ends)),
      )
    } catch (error) {
      const fault = one.stop ? 'lost' : faultOfSending(error)
      if (fault === 'lost') one.stop ??= 'lost'
      answer(one, fault === 'lost' ? ofStop(one) : failure(fault.code, fault.message, fault.retryable), ms)
      return undefined
    }
  }
}

type WithArtifacts = Extract<ItemResult, { artifacts: unknown }>
