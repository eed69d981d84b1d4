/** A model for tests of compute: nothing runs it here. */
import type { Catalogue, ModelPackage } from '@millhand/model'

const echo: ModelPackage = {
  status: 'ready',
  id: 'echo',
  ownedBy: 'millhand',
  manifest: {
    name: 'Echo',
    description: '',
    kind: 'inference',
    format: 'onnx',
    files: {},
    inputFormat: 'text',
    processing: { kind: 'single', preprocess: { name: 'text' }, postprocess: { name: 'tensors' } },
    labels: undefined,
    batchable: true,
    maxBatch: 8,
    license: 'CC0-1.0',
    metrics: {},
    exampleInput: undefined,
    exampleInputFile: undefined,
    inputs: undefined,
    outputs: undefined,
  },
  files: {},
  inputs: [],
  outputs: [],
  exampleInput: undefined,
  version: 'sha256:0',
  createdAt: new Date(Date.UTC(2026, 10, 21)),
}

export const echoModel: Catalogue = { get: id => (id === 'echo' ? echo : undefined), list: () => [echo] }
