/** The compose file is one that docker-compose takes, and starts every process with what it needs. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { createApiKey } from '@millhand/api'
import { parse } from 'yaml'
import { computeVariables } from './processes/compute.ts'
import { executorVariables } from './processes/executor.ts'
import { gatewayVariables } from './processes/gateway.ts'
import { identityVariables } from './processes/identity.ts'
import { token } from './processes/token.ts'

const secret = 'x'.repeat(32)
const settings = {
  MILLHAND_SECRET_KEY: secret,
  MILLHAND_BOOTSTRAP_KEY: createApiKey('live'),
  MILLHAND_BOOTSTRAP_TEST_KEY: createApiKey('test'),
  MILLHAND_EXECUTOR_TOKEN: token('executor', { MILLHAND_SECRET_KEY: secret }),
}
const variables = {
  gateway: gatewayVariables,
  identity: identityVariables,
  compute: computeVariables,
  executor: executorVariables,
}

function composed(env: Record<string, string>): string {
  const file = new URL('../compose.yaml', import.meta.url).pathname
  return execFileSync('docker-compose', ['-f', file, 'config'], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

function composeMissing(): string | false {
  if (process.env.CI === 'true') return false
  try {
    execFileSync('docker-compose', ['version'], { stdio: 'ignore' })
    return false
  } catch {
    return 'needs docker-compose (Debian: docker-compose)'
  }
}

test('compose.yaml is valid and tells every process what it needs', { skip: composeMissing() }, () => {
  const { services } = parse(composed(settings))
  for (const [name, read] of Object.entries(variables)) {
    const { command, environment } = services[name]
    assert.deepEqual(command, [name])
    assert.doesNotThrow(() => read(environment), name)
  }
  assert.ok(!('MILLHAND_SECRET_KEY' in services.executor.environment), 'an executor has no secret')
  for (const name of ['kafka', 'mongo']) assert.match(services[name].image, /^[a-z/]+:[\d.]+$/)
})

test('compose.yaml says which setting is missing', { skip: composeMissing() }, () => {
  for (const missing of Object.keys(settings)) {
    assert.throws(() => composed({ ...settings, [missing]: '' }), new RegExp(missing))
  }
})
