/** An embedding model in a folder, in a process of its own. docs/decisions/workforce-service.md, "An embedding model". */
import { stat } from 'node:fs/promises'
import type { Log } from '@millhand/telemetry'
import type { Embedded } from '../runner/protocol.ts'
import { filesOf } from './embedding-folder.ts'
import type { EmbeddingModel } from './embedding-model.ts'
import { startEmbedding } from './embedding-process.ts'

export { embeddingFault } from './embedding-folder.ts'

export interface EmbeddingOptions {
  readonly folder: string
  readonly threads: number
  readonly log: Log
  /** Milliseconds until a process that is to stop, and does not, is killed; 10 s where left out. */
  readonly stopMs?: number
}

/** Until it has heard that it is to stop: one text that becomes tokens, or one batch. */
const STOP_MS = 10_000
/** Beside the file, which is read and then kept in another form: Node, ONNX Runtime, a batch, the vectors that are kept. */
const BESIDE_BYTES = 512 * 2 ** 20

/**
 * Resolves once it is loaded. Rejects with `LoadFailed`, or `RunnerGone`, where it can't be; with what the file system says where
 * there is no `model.onnx`.
 */
export async function openEmbedding({
  folder,
  threads,
  log,
  stopMs = STOP_MS,
}: EmbeddingOptions): Promise<EmbeddingModel> {
  const files = filesOf(folder)
  const { size } = await stat(files.model)
  const memoryLimitBytes = 3 * size + BESIDE_BYTES
  const process = await startEmbedding({ load: { ...files, threads }, memoryLimitBytes, log, stopMs })
  const ask = async (texts: readonly string[], signal: AbortSignal): Promise<Embedded> => {
    const said = await process.ask(texts, signal)
    return said.kind === 'embedded' && said.vectors.length === texts.length ? said : unembedded
  }
  return {
    async embed(texts, signal) {
      // Whose process ends in the middle asks the next one, once.
      const again = () => (signal.aborted ? unembedded : ask(texts, signal))
      return await ask(texts, signal)
        .catch(again)
        .catch(() => unembedded)
    },
    close: process.close,
  }
}

const unembedded: Embedded = {
  kind: 'unembedded',
  fault: { code: 'model_unavailable', message: 'The embedding model did not answer.', retryable: true },
}
