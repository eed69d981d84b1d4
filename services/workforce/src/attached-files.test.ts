import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { create } from '@bufbuild/protobuf'
import { createClient } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import { FilePurpose, FileSchema } from '@millhand/api/gen/millhand/compute/v1/file_pb.ts'
import { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import { createDirectTransport, serve } from '@millhand/rpc'
import { attachedFiles } from './attached-files.ts'
import { tenantPrincipal } from './tenant-principal.ts'

const MIB = 2 ** 20

describe('the files that a brief names', () => {
  /** Compute as it knows them: it would fail whoever asked for their bytes. */
  const given = (
    sizes: Readonly<Record<string, number>>,
    ids: readonly string[],
    purpose: FilePurpose = FilePurpose.INPUT,
  ) => {
    const transport = createDirectTransport()
    const getFile = ({ id }: { readonly id: string }) => {
      const bytes = sizes[id]
      if (bytes === undefined) throw fail('not_found', `There is no file \`${id}\`.`)
      return create(FileSchema, { id, purpose, bytes, filename: `${id}.csv`, mediaType: 'text/csv' })
    }
    serve(router => router.service(FileService, { getFile }), transport)
    return attachedFiles(createClient(FileService, transport), tenantPrincipal({ tenant: 'acct_1/live' }), ids)
  }

  it('are taken up to 64 MiB together, by their names and sizes', async () => {
    const { files, faults } = await given({ a: 60 * MIB, b: 4 * MIB }, ['a', 'b'])
    assert.deepEqual(faults, [])
    assert.deepEqual(files[1], { id: 'b', name: 'b.csv', media_type: 'text/csv', bytes: 4 * MIB })
  })

  it('are refused beyond that before any of them is read, one alone or together', async () => {
    for (const [sizes, said] of [
      [{ a: 100 * MIB }, /have 100 MiB together; 64 MiB is the most/],
      [{ a: 60 * MIB, b: 4 * MIB + 1 }, /have 65 MiB together; 64 MiB is the most/],
    ] as const) {
      const { faults } = await given(sizes, Object.keys(sizes))
      assert.deepEqual(
        faults.map(({ param, code }) => [param, code]),
        [['files', 'too_large']],
      )
      assert.match(faults[0]?.message ?? '', said)
    }
  })

  it('that are models, or not there, are each refused in their place', async () => {
    const known = { a: 1, b: 1 }
    const missing = await given(known, ['a', 'none'])
    assert.deepEqual(
      missing.faults.map(({ param, code }) => [param, code]),
      [['files[1]', 'not_found']],
    )
    const models = await given(known, ['a', 'b'], FilePurpose.MODEL)
    assert.deepEqual(
      models.faults.map(({ param, code }) => [param, code]),
      [
        ['files[0]', 'not_allowed'],
        ['files[1]', 'not_allowed'],
      ],
    )
  })
})
