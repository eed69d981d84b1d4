/** A stored model in the form that included ones have, but for its file, which only executors read. */
import { type ModelPackage, outputSchema, parseManifest } from '@millhand/model'
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
    version: digestOf(model),
    createdAt: new Date(model.created_at),
  }
}
