import assert from 'node:assert/strict'
import { test } from 'node:test'
import { diag } from '@opentelemetry/api'
import { createLog } from '../log.ts'
import { reportProblems } from './report-problems.ts'

test('problems are logged once a minute at each level', () => {
  const lines: string[] = []
  let now = 5_000
  reportProblems(createLog({ level: 'info', write: line => void lines.push(line) }), () => now)
  const at = (ms: number) => {
    now = ms
    for (let n = 0; n < 10; n++) diag.error('the collector is away')
    return lines.splice(0).map(line => JSON.parse(line).reason)
  }
  assert.deepEqual(at(5_000), ['the collector is away'])
  assert.deepEqual(at(64_999), [])
  assert.deepEqual(at(65_000), ['the collector is away'])
  diag.warn('slow')
  assert.equal(lines.length, 1)
  diag.disable()
})
