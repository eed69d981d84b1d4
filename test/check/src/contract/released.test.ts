import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createFileRegistry, type DescService, fromBinary } from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { protoComments } from '@millhand/api/schema'
import { openapiDocument } from '../../../../gateway/src/openapi/document.ts'
import { publicServices } from '../../../../gateway/src/public-services.ts'
import { execute, root } from '../execute.ts'
import { openapiBreaks } from './openapi-breaks.ts'
import { contractBreaks, released } from './released.ts'

test('nothing that was released is broken', async () => {
  assert.deepEqual(await contractBreaks(), { faults: '' })
})

test('a route that is renamed breaks what was released, also when all is generated again', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'millhand-released-'))
  t.after(() => rmSync(folder, { recursive: true }))
  cpSync(join(root, 'proto'), folder, { recursive: true, filter: path => !path.endsWith('node_modules') })
  const file = join(folder, 'millhand/compute/v1/compute_service.proto')
  const text = readFileSync(file, 'utf8')
  const renamed = text.replaceAll('"/v1/models', '"/v1/networks')
  assert.notEqual(renamed, text)
  writeFileSync(file, renamed)
  const image = join(folder, 'image.binpb')
  const { code, output } = await execute(['buf', 'build', folder, '--output', image], 'proto')
  assert.equal(code, 0, output)

  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(image)))
  const services = publicServices.map(({ typeName }) => registry.getService(typeName) as DescService)
  const faults = openapiBreaks(released('openapi.golden.json'), openapiDocument(services, protoComments()))
  assert.deepEqual(faults, ['GET /v1/models: is gone', 'GET /v1/models/{id}: is gone'])
})
