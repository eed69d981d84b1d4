import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadPlans } from '@millhand/plans'
import { createLog } from '@millhand/telemetry'
import { plansWith } from './plans-file.ts'

test('every plan of a benchmark has the room that it asks for', t => {
  const folder = mkdtempSync(join(tmpdir(), 'millhand-plans-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const { MILLHAND_PLANS_FILE } = plansWith('max_queued', 1_000_000_000, folder)
  const plans = loadPlans(MILLHAND_PLANS_FILE, createLog({ level: 'error' }))
  for (const name of plans.names('compute')) assert.equal(plans.computePlan(name).max_queued, 1_000_000_000)
  for (const name of plans.names('workforce')) assert.equal(plans.workforcePlan(name).max_queued, 1_000_000_000)
})
