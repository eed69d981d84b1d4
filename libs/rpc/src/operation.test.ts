import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createContextValues } from '@connectrpc/connect'
import { countingIds } from '@millhand/api'
import { idOf, operationKey } from './operation.ts'

test('what an operation makes has an id of it, at every try; without one it is new', () => {
  const operation = '01jd7x8f2wfyqs3m6k9v0t4b5c'
  const kept = { values: createContextValues().set(operationKey, operation) }
  const ids = countingIds()
  assert.deepEqual([idOf('task', kept, ids), idOf('task', kept, ids)], [`task_${operation}`, `task_${operation}`])
  assert.equal(idOf('file', kept, ids), `file_${operation}`)
  const once = { values: createContextValues() }
  assert.notEqual(idOf('task', once, ids), idOf('task', once, ids))
})
