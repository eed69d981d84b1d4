/** The table of services agrees with itself, and each caller may do what it needs and no more. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { publicServices } from '@millhand/gateway'
import { metricSpecs } from '@millhand/telemetry'
import { parse } from 'yaml'
import { processes } from './processes/processes.ts'
import {
  type CallerName,
  calleesOf,
  callers,
  grantOf,
  isCalled,
  isReadyWithout,
  serviceNames,
  services,
  startSteps,
  usesKafka,
} from './services.ts'

test('each caller may call what it needs, and names an account only where it has to', () => {
  const table = (Object.keys(callers) as CallerName[]).map(name => {
    const { calls, secret } = grantOf(name)
    return [name, secret, calls.map(service => service.name)]
  })
  assert.deepEqual(table, [
    [
      'gateway',
      true,
      [
        ...['IdentityService', 'ApiKeyService', 'RateService', 'IdempotencyService', 'StatusService'],
        ...['ComputeService', 'FileService', 'StreamTokenService'],
        'WorkforceService',
        'UsageService',
        ...['WebhookService', 'EventService', 'BacklogService'],
      ],
    ],
    ['identity', true, ['RateService']],
    ['compute', true, ['ComputeService', 'LeaseService', 'OwnerService']],
    [
      'workforce',
      true,
      [
        ...['WorkforceService', 'LeaseService', 'OwnerService'],
        'QuotaService',
        ...['FileService', 'TaskFileService'],
        'WorkforceUsageService',
      ],
    ],
    ['executor', false, ['LeaseService']],
    ['billing', false, []],
    ['webhook', true, []],
    ['operator', true, ['AccountService', 'ApiKeyService']],
  ])
})

test('each service calls services of the table, and may miss only those that it calls', () => {
  for (const name of serviceNames) {
    const callees: readonly string[] = calleesOf(name)
    for (const callee of callees) assert.ok(callee in services, `${name} calls ${callee}`)
    const missed = serviceNames.filter(callee => isReadyWithout(name, callee))
    for (const callee of missed) assert.ok(callees.includes(callee), `${name} is ready without ${callee}`)
  }
})

test('each service starts after those that it calls, and the gateway last', () => {
  assert.deepEqual(startSteps(), [
    ['webhook', 'billing', 'compute', 'identity'],
    ['workforce'],
    ['executor', 'gateway'],
  ])
})

test('the process of each service reads the variables that its entry asks for', async () => {
  for (const name of serviceNames) {
    const { variables } = await processes[name]()
    const described = variables.describe()
    const reads = (variable: string) => described.some(each => each.name === variable)
    const row = services[name]
    const expected = {
      MILLHAND_MONGO_URL: row.database,
      MILLHAND_KAFKA_BROKERS: usesKafka(name),
      MILLHAND_OWNER_LEASE_S: row.owned,
      MILLHAND_SECRET_KEY: row.secret,
      MILLHAND_SERVICE_TOKEN: grantOf(name).calls.length > 0,
      MILLHAND_TRUSTED_KEYS: isCalled(name),
      ...Object.fromEntries(
        serviceNames.map(other => [
          `MILLHAND_${other.toUpperCase()}_URL`,
          calleesOf(name).some(each => each === other),
        ]),
      ),
    }
    for (const [variable, isRead] of Object.entries(expected))
      assert.equal(reads(variable), isRead, `${name}: ${variable}`)
  }
})

test('a metric names each service that has an owner', () => {
  const owned = serviceNames.filter(name => services[name].owned).sort()
  assert.deepEqual([...metricSpecs.millhand_ownership_ended_total.labels.service].sort(), owned)
})

test('the gateway reaches every service that has routes', () => {
  const called = new Set(
    Object.values(services.gateway.calls)
      .flat()
      .map(service => service.typeName),
  )
  for (const { typeName } of publicServices) assert.ok(called.has(typeName), typeName)
})

const asked = (line: string, option: string) =>
  [...line.matchAll(new RegExp(`--${option} (\\S+)`, 'g'))].map(([, is]) => is)

/** Who may do what at the broker, as lines of `principal operation resource`. */
const granted = (lines: readonly string[]): string[] =>
  lines.flatMap(line => {
    const [principal] = asked(line, 'allow-principal')
    const resources = [
      ...asked(line, 'topic').map(topic => `topic ${topic}`),
      ...asked(line, 'group').map(group => `group ${group}${line.includes('prefixed') ? '*' : ''}`),
    ]
    return resources.flatMap(resource => asked(line, 'operation').map(is => `${principal} ${is} ${resource}`))
  })

const expectedGrants = serviceNames.flatMap(name => {
  const {
    writes,
    reads,
    groups = [],
  }: { writes: readonly string[]; reads: readonly string[]; groups?: readonly string[] } = services[name]
  const may = (operations: readonly string[], resource: string) =>
    operations.map(is => `User:${name} ${is} ${resource}`)
  return [
    ...writes.flatMap(topic => may(['Create', 'Describe', 'Write'], `topic ${topic}`)),
    ...reads.flatMap(topic => may(['Describe', 'Read'], `topic ${topic}`)),
    ...groups.flatMap(group => may(['Read'], `group ${group}`)),
    ...(reads.length > 0 && groups.length === 0 ? may(['Read', 'Delete'], 'group tail.*') : []),
  ]
})

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

test('compose.yaml grants each service at the broker what it reads and writes, and nothing else', () => {
  const [script]: [string] = parse(read('../compose.yaml')).services['kafka-grants'].command
  assert.deepEqual(granted(echoed(script.replaceAll('$$', '$'))).sort(), [...expectedGrants].sort())
})

test('docs/many-machines.md grants the same', () => {
  const [, script = ''] = /```sh no-run\n([^`]*acls=[^`]*)```/.exec(read('../../docs/many-machines.md')) ?? []
  assert.deepEqual(granted(echoed(script)).sort(), [...expectedGrants].sort())
})

/** The options of each call of `kafka-acls.sh`. */
function echoed(script: string): string[] {
  const told = script.replaceAll(/[\w/]*kafka-acls\.sh/g, 'echo').replaceAll('/tmp/client', '/dev/null')
  const lines = execFileSync('bash', ['--norc', '-ec', told], { encoding: 'utf8' }).trim().split('\n')
  return lines.filter(line => line.includes('--allow-principal'))
}
