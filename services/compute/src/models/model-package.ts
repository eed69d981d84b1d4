/** A stored model in the form that included ones have, but for its file, which only executors read. */
import {
  type Manifest,
  type ModelPackage,
  type OnnxInspection,
  outputSchema,
  parseManifest,
  versionOf,
} from '@millhand/model'
import type { StoredFile } from '../files/file.ts'
import { digestOf, type StoredModel } from './model.ts'

export function packageOf(model: StoredModel): ModelPackage {
  const manifest = parseManifest(model.manifest)
  const { inputs = [], outputs = [], exampleInput } = manifest
  return {
    status: 'ready',
    id: model.id,
    ownedBy: model.account_id,
    manifest,
    files: {},
    inputs,
    outputs,
    outputSchema: JSON.stringify(outputSchema({ manifest, outputs })),
    exampleInput,
    version: versionOf(model.manifest, new Map([['model', model.sha256]])),
    createdAt: new Date(model.created_at),
  }
}

/** A file that is run as it is: named tensors in, named tensors out. */
export function filePackage(file: StoredFile, { inputs, outputs }: OnnxInspection): ModelPackage {
  const manifest = parseManifest(JSON.stringify({ name: file.id }))
  return {
    status: 'ready',
    id: file.id,
    ownedBy: file.tenant,
    manifest,
    files: {},
    inputs,
    outputs,
    outputSchema: JSON.stringify(outputSchema({ manifest, outputs })),
    exampleInput: undefined,
    version: digestOf(file),
    createdAt: new Date(file.created_at),
  }
}

/** The same model without its processing. */
export const tensorsOnly = (manifest: Manifest): Manifest => ({
  ...manifest,
  inputFormat: 'tensors',
  processing: { kind: 'single', preprocess: { name: 'tensors' }, postprocess: { name: 'tensors' } },
  batchable: false,
  maxBatch: 1,
})
