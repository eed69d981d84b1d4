import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@millhand/test-e2e/server'

const steady = `import { test } from 'node:test'
test('holds', () => {})`
const wrong = `import { test } from 'node:test'
test('does not hold', () => { throw new Error('wrong') })`
/** Fails when it runs first, and leaves a file. */
const flaky = (mark: string) => `import { existsSync, writeFileSync } from 'node:fs'
import { describe, it } from 'node:test'
describe('a suite', () => {
  it('holds', () => {})
  it('holds at times', () => {
    if (existsSync(${JSON.stringify(mark)})) return
    writeFileSync(${JSON.stringify(mark)}, '')
    throw new Error('too busy')
  })
})`
const ofHook = `import { after, describe, it } from 'node:test'
describe('a suite', () => {
  after(() => { throw new Error('wrong') })
  it('holds', () => {})
})`

/** In a process of its own: the runner does not run inside of a test. */
const script = `const { runFiles } = await import(${JSON.stringify(new URL('run-files.ts', import.meta.url).href)})
const outcome = await runFiles(process.cwd(), [{ files: process.argv.slice(2), atOnce: 2 }], process.stderr)
process.stdout.write(JSON.stringify(outcome))`

function outcomeOf(files: (folder: string) => Record<string, string>) {
  const folder = temporaryFolder('millhand-runs-')
  const texts = files(folder)
  for (const [name, text] of Object.entries({ ...texts, 'run.mjs': script })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  const names = Object.keys(texts).filter(name => !name.startsWith('inner'))
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const options = { cwd: folder, env, encoding: 'utf8' } as const
  const { stdout, stderr: said } = spawnSync(process.execPath, ['run.mjs', ...names], options)
  const { took, ...outcome } = JSON.parse(stdout)
  return { ...outcome, runs: took.length, said }
}

test('what fails beside others and passes alone is counted as passed, and named', () => {
  const { said, ...outcome } = outcomeOf(folder => ({
    'steady.test.ts': steady,
    'flaky.test.ts': flaky(join(folder, 'ran')),
    // What fails in a bundle is run again without it.
    'bundle.ts': `import { describe } from 'node:test'
describe('inner', () => import('./inner.test.ts'))`,
    'inner.test.ts': flaky(join(folder, 'inner-ran')),
  }))
  assert.deepEqual(outcome, {
    passed: 5,
    failed: 0,
    skipped: 0,
    flaky: ['flaky.test.ts: holds at times', 'inner.test.ts: holds at times'],
    runs: 3,
  })
  assert.match(said, /too busy/)
})

test('what a process does when its tests are over is told, and it is run again', () => {
  const late = (mark: string, what: string) => `import { test } from 'node:test'
import { existsSync, writeFileSync } from 'node:fs'
test('holds', () => {
  if (existsSync(${JSON.stringify(mark)})) return
  writeFileSync(${JSON.stringify(mark)}, '')
  ${what}
})`
  const { said, ...outcome } = outcomeOf(folder => ({
    'rejects.ts': late(join(folder, 'rejected'), "setImmediate(() => Promise.reject(new Error('too late')))"),
    'crashes.ts': late(join(folder, 'crashed'), "process.on('exit', () => process.kill(process.pid, 'SIGSEGV'))"),
  }))
  const { flaky, ...counts } = outcome
  assert.deepEqual(counts, { passed: 2, failed: 0, skipped: 0, runs: 2 })
  assert.match(flaky[1], /^crashes\.ts: its process ended with SIGSEGV$/)
  assert.match(flaky[0], /^rejects\.ts: its process ended with 1\n.*"holds" at rejects\.ts:.*too late/)
  assert.match(said, /run again, alone: rejects\.ts/)
})

test('what fails twice has failed, and so has what is skipped then', () => {
  const { said, ...outcome } = outcomeOf(() => ({ 'wrong.test.ts': wrong, 'hook.test.ts': ofHook }))
  assert.deepEqual(outcome, { passed: 1, failed: 2, skipped: 0, flaky: [], runs: 2 })
  assert.match(said, /run again, alone: wrong\.test\.ts/)
  const missing = outcomeOf(folder => ({
    'missing.test.ts': flaky(join(folder, 'ran')).replace('return\n', "return it['skip']('holds at last')\n"),
  }))
  assert.match(missing.said, /run again/)
  assert.deepEqual([missing.failed, missing.flaky], [1, []])
})

test('skipped suites are counted', () => {
  const { passed, failed, skipped } = outcomeOf(() => ({
    'skipped.test.ts': ofHook.replace("'a suite'", "'a suite', { skip: String('needs more') }"),
    'steady.test.ts': steady,
  }))
  assert.deepEqual({ passed, failed, skipped }, { passed: 1, failed: 0, skipped: 1 })
})

const notRunAgain: Record<string, Record<string, string>> = {
  'many fail': { 'a.test.ts': wrong, 'b.test.ts': wrong, 'c.test.ts': wrong },
  'a process ended before its tests did': { 'ended.test.ts': 'process.exit(3)', 'steady.test.ts': steady },
  'a process was ended, also after a test of it failed': {
    'killed.test.ts': `${wrong}
test('never ends', () => new Promise(() => setTimeout(() => process.kill(process.pid, 'SIGKILL'), 500)))`,
    'steady.test.ts': steady,
  },
  'a property was broken': { 'wrong.test.ts': wrong.replace("'wrong'", "'Property failed after 3 tests'") },
  'a contract was broken': {
    'steady.test.ts': `import './inner.contract.ts'\n${steady}`,
    'inner.contract.ts': wrong,
  },
  'faults were injected': { 'test/faults/wrong.test.ts': wrong },
}
for (const [when, files] of Object.entries(notRunAgain))
  test(`nothing is run again where ${when}`, () => {
    const { failed, flaky, said } = outcomeOf(() => files)
    assert.ok(failed > 0)
    assert.deepEqual(flaky, [])
    assert.doesNotMatch(said, /run again/)
  })
