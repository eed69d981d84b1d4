/** What a model's process will hold, before there is one to measure. */
import { statSync } from 'node:fs'

/** Node with ONNX Runtime and a graph of one node, by what was measured; and a file, as it is read and as the session has it. */
const PROCESS_BYTES = 170 * 2 ** 20
const FILE_COPIES = 2

/** An estimate in bytes, by the model's files. One that is not there counts as none. */
export const processBytes = (files: readonly string[]): number =>
  PROCESS_BYTES + FILE_COPIES * files.reduce((sum, path) => sum + sizeOf(path), 0)

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0
