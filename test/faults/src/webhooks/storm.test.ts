import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { repository } from '@millhand/test-e2e/server'
import { javaMissing } from '@millhand/test-servers'
import { chosenSeed } from '../random.ts'
import { run } from './run.ts'
import { sizes } from './storm-size.ts'

test('webhooks arrive: at least once, the same at each try, and at nobody else, whatever dies', {
  skip: javaMissing,
  timeout: 1_800_000,
}, async t => {
  const seed = chosenSeed(500)
  const folder = mkdtempSync(join(tmpdir(), 'millhand-webhooks-'))
  t.diagnostic(`seed ${seed} (MILLHAND_SEED=${seed} replays it); logs and data in ${folder}`)
  const size = sizes.small
  const { figures, violations } = await run({ seed, size, root: repository, folder, say: line => t.diagnostic(line) })
  assert.deepEqual(violations.slice(0, 20), [], `seed ${seed}; logs and data in ${folder}`)
  assert.ok(figures.events >= size.events, `only ${figures.events} events`)
  assert.equal(figures.endpoints, size.accounts * 10)
  rmSync(folder, { recursive: true })
})

test('webhooks arrive while the store stalls: each at least once, and none again for that', {
  skip: javaMissing,
  timeout: 1_800_000,
}, async t => {
  const seed = chosenSeed(500)
  const folder = mkdtempSync(join(tmpdir(), 'millhand-stalls-'))
  t.diagnostic(`seed ${seed} (MILLHAND_SEED=${seed} replays it); logs and data in ${folder}`)
  const size = sizes.someStalls
  const { figures, violations } = await run({ seed, size, root: repository, folder, say: line => t.diagnostic(line) })
  assert.deepEqual(violations.slice(0, 20), [], `seed ${seed}; logs and data in ${folder}`)
  assert.equal(figures.faults, size.strength.pauses.mongo)
  rmSync(folder, { recursive: true })
})
