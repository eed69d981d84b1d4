import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { repository, startServer, temporaryFolder } from './server.ts'

const tool = join(repository, '.venv/bin/schemathesis')
const settings = join(import.meta.dirname, '../schemathesis')
const seed = process.env.MILLHAND_SEED ?? String(Math.floor(Math.random() * 2 ** 31))
const absent = existsSync(tool) ? false : `there is no ${tool}: \`.ci/run\` installs it`

test('Schemathesis finds nothing: no 5xx, nothing undocumented, no breach of a schema, in any order of calls', {
  skip: process.env.CI === 'true' ? false : absent,
  timeout: 300_000,
}, async t => {
  if (absent) assert.fail(absent)
  t.diagnostic(`seed ${seed} (MILLHAND_SEED=${seed} replays it)`)
  await using server = await startServer()
  const words = [
    `--config-file=${join(settings, 'schemathesis.toml')}`,
    'run',
    `${server.url}/openapi.json`,
    '--header',
    `Authorization: Bearer ${server.key}`,
    '--checks=all',
    // DELETE cancels a task and keeps its record, so a GET after it answers 200.
    '--exclude-checks=use_after_free',
    '--phases=examples,coverage,fuzzing,stateful',
    '--max-examples=300',
    `--seed=${seed}`,
    '--suppress-health-check=all',
    '--request-timeout=15',
    '--no-color',
  ]
  const cwd = temporaryFolder('millhand-schemathesis-')
  const env = {
    ...process.env,
    SCHEMATHESIS_HOOKS: 'hooks',
    PYTHONPATH: settings,
    PYTHONDONTWRITEBYTECODE: '1',
  }
  const run = spawn(tool, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [run.stdout, run.stderr])
    stream.setEncoding('utf8').on('data', text => {
      said += text
    })
  const [code] = await once(run, 'close')
  assert.equal(code, 0, said)
  t.diagnostic(said.slice(said.lastIndexOf('SUMMARY')).replaceAll(/^[= ]+|[= ]+$/gm, ''))
})
