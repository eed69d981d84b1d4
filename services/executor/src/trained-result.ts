/** The result of a run that trains. */
import type { ItemResult } from '@millhand/child-process'

/** The model goes as a file, and its id is made of that file's. */
export const trainedResult = (output: object, bytes: Uint8Array): ItemResult => ({
  ok: true,
  artifacts: [{ name: 'model.onnx', mediaType: 'application/octet-stream', bytes }],
  outputOf: ([file = '']) => JSON.stringify({ model: file.replace(/^file_/, 'model_'), ...output }),
})
