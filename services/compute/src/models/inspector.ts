/** Has uploaded files looked into, each in a locked process of its own. docs/decisions/own-models.md, "Inspection". */
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { fail } from '@millhand/api'
import {
  MAX_HEAD_BYTES,
  makeTempFolder,
  RunnerGone,
  removeTempFolder,
  startChild,
  sweepTempFolders,
} from '@millhand/child-process'
import type { OnnxInspection } from '@millhand/model'
import type { Clock } from '@millhand/process'
import type { Log } from '@millhand/telemetry'
import { type InspectionMessage, type InspectionRequest, readInspection } from './inspection-protocol.ts'
import { TenantTurns } from './tenant-turns.ts'

export interface Inspector {
  /**
   * Looks into a tenant's file, which `open` opens once its turn has come; undefined where that opens none. Rejects
   * with `ModelInvalid`, and with the signal's reason.
   */
  inspect(file: UninspectedFile, signal: AbortSignal): Promise<OnnxInspection | undefined>
}

interface UninspectedFile {
  readonly tenant: string
  readonly bytes: number
  readonly open: () => Promise<Readable | undefined>
}

const MIB = 2 ** 20
const CHILD = fileURLToPath(new URL('./inspection-child.ts', import.meta.url))
const CODE = { 'services/compute': [], 'libs/model': [], 'libs/child-process': [], 'libs/telemetry': [] }

/** Beside the file itself: Node, and what is found. */
const MEMORY_BYTES = 256 * MIB
/**
 * Node, and what is read: 50 ms for each MiB of a graph that is nothing but nodes, and hardly any for weights, as
 * measured. So what takes long is as long to upload.
 */
const PROCESSOR_MS = 3_000
const PROCESSOR_MS_OF_MIB = 250
const MOST_PROCESSOR_MS = 20_000
/** Not the file's fault: the machine is busy with something else. */
const TIMEOUT_MS = 120_000
/** Files at once, of one tenant one: each is on the disk, and in memory, meanwhile. */
const MOST_AT_ONCE = 2

/** Removes at once what processes left that were killed. */
export function createInspector({ clock, log }: { readonly clock: Clock; readonly log: Log }): Inspector {
  sweepTempFolders(log)
  const turns = new TenantTurns(MOST_AT_ONCE, clock)

  return {
    inspect: (file, signal) => turns.run(file.tenant, signal, () => inspectContent(file, signal)),
  }

  async function inspectContent({ bytes, open }: UninspectedFile, signal: AbortSignal) {
    const content = await open()
    if (content === undefined) return undefined
    let folder: string | undefined
    try {
      folder = makeTempFolder('inputs')
      const path = join(folder, 'model')
      await pipeline(content, createWriteStream(path, { mode: 0o600 }), { signal })
      return await inspectFile(path, bytes, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (!isOfMachine(error)) throw error
      log.warn('model.not_inspected', { reason: 'not_started', error })
      throw notNow(error)
    } finally {
      content.destroy()
      if (folder !== undefined) removeTempFolder(folder, log)
    }
  }

  async function inspectFile(path: string, bytes: number, signal: AbortSignal): Promise<OnnxInspection> {
    const processorMs = Math.min(MOST_PROCESSOR_MS, PROCESSOR_MS + PROCESSOR_MS_OF_MIB * (bytes / MIB))
    const child = startChild<InspectionRequest, InspectionMessage>({
      script: CHILD,
      lock: { code: CODE, native: false },
      read: readInspection,
      ahead: 1,
      messageBytes: MAX_HEAD_BYTES + MIB,
      memoryLimitBytes: MEMORY_BYTES + bytes,
      fileBytes: 0,
      // Beyond the limit below, which the kernel does not hold it to everywhere.
      processorSeconds: Math.ceil(processorMs / 1_000) + 5,
      log,
    })
    const stop = () => void child.kill()
    signal.addEventListener('abort', stop, { once: true })
    const limit = clock.timer(TIMEOUT_MS, stop)
    child.limitProcessor(processorMs)
    try {
      child.send({ path: child.linkFile(path, 'model') })
      const answer = await child.next()
      if (answer.kind === 'inspected') return answer.inspection
      throw new ModelInvalid(answer.message)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof RunnerGone)) throw error
      const fault = FAULTS_OF_FILE[error.reason]
      if (fault !== undefined) throw new ModelInvalid(`looking into it takes more ${fault} than it may`)
      log.warn('model.not_inspected', { reason: error.reason, error, text: child.stderr() })
      throw notNow(error)
    } finally {
      limit.cancel()
      signal.removeEventListener('abort', stop)
      await child.kill()
    }
  }
}

const notNow = (cause: unknown) =>
  fail('unavailable', 'The file can not be looked into now. Send the request again.', { cause })

/** A full disk, no more processes or open files: what the system refused says which call it was. */
const isOfMachine = (error: unknown): boolean =>
  error instanceof RunnerGone || (error instanceof Error && 'syscall' in error && 'code' in error)

/** What a process ended of that its file is the reason for; whatever else ended it, another try may work. */
const FAULTS_OF_FILE: Readonly<Partial<Record<RunnerGone['reason'], string>>> = {
  out_of_memory: 'memory',
  processor_limit: 'processor time',
}

/** The file is no model that can be run; the message says why, for the caller. */
export class ModelInvalid extends Error {
  constructor(why: string) {
    super(`The file is no ONNX model that can be run: ${why}.`)
    this.name = 'ModelInvalid'
  }
}
