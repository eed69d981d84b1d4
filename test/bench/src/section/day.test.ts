/** The day in its shortest form: what the callers counted is what `/status` says, whatever the machine does meanwhile. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { repository } from '@millhand/test-e2e/server'
import { javaMissing } from '@millhand/test-servers'
import { nodeCommand } from '../node-command.ts'

const CALLS = 400

test('a short day on one process', t => shortDay(t, []))
// Starts all processes, Kafka and a database server once more for what `test/e2e/src/status.test.ts` holds there in every run.
if (process.env.TEST_ALL !== undefined)
  test('a short day on several processes', { skip: javaMissing }, t => shortDay(t, ['--distributed']))

async function shortDay(t: TestContext, words: readonly string[]): Promise<void> {
  const { figures, code, errors } = await bench(t, ...words, 'day', '--calls', String(CALLS), '--pace', '100', '--json')
  // 1 where a target is missed, which a busy machine does.
  assert.ok(code === 0 || code === 1, errors)
  const named = (text: string) => {
    const found = figures.find(({ name }) => name.includes(text))
    assert.ok(found, `${text} is missing\n${errors}`)
    return found
  }
  for (const target of ['99.9 % without a 5xx', '99 % within 100 ms']) {
    const [seen, told] = [named(`${target}, as callers see it`), named(`${target}, by /status`)]
    assert.deepEqual([told.unit, told.aim], ['% spent', { most: 100 }])
    assert.ok(told.requests >= seen.requests && told.requests <= CALLS, errors)
  }
  const [answered, told] = [named('5xx, as callers see it'), named('5xx, by /status')]
  assert.deepEqual([answered.requests, answered.missed], [CALLS, told.missed])
  const { user_s, system_s, median } = named('processor time')
  assert.ok(user_s > 0 && system_s > 0 && Math.abs(user_s + system_s - median) < 0.1 * median, errors)
  const calls = figures.filter(({ name }) => name.endsWith(', p99')).map(figure => figure.calls)
  assert.equal(
    calls.reduce((sum, some) => sum + some, 0),
    CALLS,
  )
}

// biome-ignore lint/suspicious/noExplicitAny: figures as they are printed
type Printed = any

async function bench(t: TestContext, ...words: readonly string[]) {
  const [command, ...flags] = nodeCommand(join(repository, 'test/bench/src/bench.ts'))
  const child = spawn(command as string, [...flags, ...words], { cwd: repository, stdio: ['ignore', 'pipe', 'pipe'] })
  t.after(() => child.kill())
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', text => {
    output.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    output.stderr += text
  })
  const [code] = await once(child, 'close')
  const lines: Printed[] = output.stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  return { figures: lines.filter(({ section }) => section === 'day'), code, errors: output.stderr }
}
