import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { repository } from '@millhand/test-e2e/server'
import { mutated, mutations } from './mutations.ts'

for (const [name, mutation] of Object.entries(mutations))
  test(`what the mutation \`${name}\` takes out is there to be taken out`, () => {
    mutated(readFileSync(join(repository, mutation.file), 'utf8'), mutation)
  })
