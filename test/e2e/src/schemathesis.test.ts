import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { missing, printed } from '@millhand/test-servers'
import { upload } from './files.ts'
import { newKey } from './keys.ts'
import { repository, startServer, temporaryFolder } from './server.ts'
import { ownModels } from './tasks.ts'

const tool = join(repository, '.venv/bin/schemathesis')
const settings = join(import.meta.dirname, '../schemathesis')
// Several processes take longer over each call; what they are asked goes through the same code.
const isOneProcess = process.env.MILLHAND_TEST_START === undefined
const isWhole = process.env.TEST_ALL !== undefined
const examples = !isOneProcess ? 20 : isWhole ? 150 : 40
/** What is refused at the door needs fewer. */
const examplesAtTheDoor = 10
/** The same at every run, so that a failure is the change's and not the dice's; others by hand. */
const seed = process.env.MILLHAND_SEED ?? '1'
const toolMissing = missing(
  'needs what .ci/requirements.txt lists in .venv: python3 -m venv .venv && .venv/bin/pip install -r .ci/requirements.txt',
  () => printed(tool, ['--version']) !== undefined,
)

test('Schemathesis finds nothing: no 5xx, nothing undocumented, no breach of a schema, in any order of calls', {
  skip: toolMissing,
  timeout: 1_800_000,
}, async t => {
  t.diagnostic(`seed ${seed} (MILLHAND_SEED=${seed} replays it)`)
  // Without an engine creates of instances are 501.
  await using server = await startServer({ env: { MILLHAND_INSTANCE_DRIVER: 'mock' } })
  const ownKey = (await server.request('GET', '/v1/api_keys')).body.data.find((key: { prefix: string }) =>
    server.key.startsWith(key.prefix),
  )
  const bytes = readFileSync(join(ownModels, 'double/model.onnx'))
  const model = await upload(server, bytes, 'purpose=model', 'application/octet-stream')
  const ways: readonly (readonly [name: string, authorization: string, examples: number, phases: string])[] = [
    ['with a key', `Bearer ${server.key}`, examples, 'examples,coverage,fuzzing,stateful'],
    ['without one', '', examplesAtTheDoor, 'examples,coverage,fuzzing'],
    ['with one that is not known', `Bearer ${newKey('live')}`, examplesAtTheDoor, 'examples,fuzzing'],
  ]
  for (const [name, authorization, examples, phases] of isOneProcess ? ways : ways.slice(0, 1)) {
    const { code, said } = await schemathesis(server.url, [ownKey.id, model.id], authorization, examples, phases)
    assert.equal(code, 0, `${name}: ${said}`)
    t.diagnostic(`${name}: ${said.slice(said.lastIndexOf('SUMMARY')).replaceAll(/^[= ]+|[= ]+$/gm, '')}`)
  }
  // A key that does not work any more would have made the rest of it 401.
  assert.equal((await server.request('GET', '/v1/tasks')).status, 200)
})

/** `own`: the key that it calls with and the file of a model, which it leaves alone. */
async function schemathesis(
  url: string,
  [keyId, modelFile]: readonly [string, string],
  authorization: string,
  examples: number,
  phases: string,
) {
  const words = [
    `--config-file=${join(settings, 'schemathesis.toml')}`,
    'run',
    `${url}/openapi.json`,
    ...(authorization === '' ? [] : ['--header', `Authorization: ${authorization}`]),
    '--checks=all',
    // DELETE cancels a task and keeps its record, so a GET after it answers 200.
    '--exclude-checks=use_after_free',
    `--phases=${phases}`,
    `--max-examples=${examples}`,
    `--seed=${seed}`,
    '--suppress-health-check=all',
    '--request-timeout=15',
    '--no-color',
  ]
  const cwd = temporaryFolder('millhand-schemathesis-')
  const env = {
    ...process.env,
    SCHEMATHESIS_HOOKS: 'hooks',
    MILLHAND_FUZZ_KEY_ID: keyId,
    MILLHAND_FUZZ_MODEL_FILE: modelFile,
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
  return { code, said }
}
