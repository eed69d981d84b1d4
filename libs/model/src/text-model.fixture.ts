/** A model that takes text, for tests of what is around models: nothing can run it. */
import type { ModelPackage } from './catalogue.ts'

export const textModel = (id: string): ModelPackage => ({
  status: 'ready',
  id,
  ownedBy: 'millhand',
  manifest: {
    name: id,
    description: '',
    kind: 'inference',
    format: 'onnx',
    files: {},
    inputFormat: 'text',
    processing: { kind: 'single', preprocess: { name: 'text' }, postprocess: { name: 'tensors' } },
    labels: undefined,
    batchable: true,
    maxBatch: 8,
    providers: ['cpu'],
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
  outputSchema: '{"type":"object"}',
  exampleInput: undefined,
  version: `sha256:${'0'.repeat(64)}`,
  createdAt: new Date(Date.UTC(2026, 10, 21)),
})
