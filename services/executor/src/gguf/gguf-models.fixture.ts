/** Models that generate text, for the tests of this folder: their file is any, or the small one that tests run. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ModelPackage, outputSchema, parseManifest } from '@millhand/model'

/** `file`: of it only the beginning is looked at before it is loaded. */
export function textGenerator(id: string, file: string, fields: object = {}): ModelPackage {
  const manifest = parseManifest(JSON.stringify({ name: id, format: 'gguf', ...fields }))
  return {
    status: 'ready',
    id,
    ownedBy: 'operator',
    manifest,
    files: { model: file },
    inputs: [],
    outputs: [],
    outputSchema: JSON.stringify(outputSchema({ manifest, outputs: [] })),
    exampleInput: undefined,
    version: `sha256:${id}`,
    createdAt: new Date(0),
  }
}

/** A file that nobody loads. */
export function anyFile(after: (remove: () => void) => void): string {
  const folder = mkdtempSync(join(tmpdir(), 'millhand-gguf-'))
  after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'model.gguf')
  writeFileSync(file, 'GGUF')
  return file
}
