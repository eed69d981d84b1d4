import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { repository } from '@millhand/test-e2e/server'
import { javaMissing } from '@millhand/test-servers'
import { isFound, mutated, mutatedTree, mutations } from './mutations.ts'

for (const [name, mutation] of Object.entries(mutations)) {
  const { file, foundBy } = mutation
  test(`what the mutation \`${name}\` takes out is there to be taken out`, () => {
    mutated(readFileSync(join(repository, file), 'utf8'), mutation)
  })
  if (foundBy) {
    test(`the mutation \`${name}\` is found by ${foundBy.file}`, { skip: javaMissing }, t => {
      const root = mkdtempSync(join(tmpdir(), 'millhand-mutation-'))
      t.after(() => rmSync(root, { recursive: true }))
      mutatedTree(repository, root, mutation)
      assert.ok(isFound(root, foundBy))
    })
  }
}
