/** What a request may hold, whatever its size. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DescMessage } from '@bufbuild/protobuf'
import { httpRoutes, mostEntries } from '@millhand/api'
import { publicServices } from '../src/gateway.ts'

test('every list and every map of a public request has a bound', () => {
  const unbounded = new Set<string>()
  const looked = new Set<DescMessage>()
  const look = (desc: DescMessage) => {
    if (looked.has(desc) || desc.typeName.startsWith('google.protobuf.')) return
    looked.add(desc)
    for (const field of desc.fields) {
      const hasEntries = field.fieldKind === 'list' || field.fieldKind === 'map'
      if (hasEntries && mostEntries(field) === undefined) unbounded.add(`${field}`)
      if (field.message !== undefined) look(field.message)
    }
  }
  for (const { desc } of httpRoutes(publicServices)) look(desc.input)
  assert.ok(looked.size > 20)
  assert.deepEqual([...unbounded], [])
})
