/** The table of services agrees with itself, and each caller may do what it needs and no more. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { publicServices } from '@millhand/gateway'
import { metricSpecs } from '@millhand/telemetry'
import { parse } from 'yaml'
import { loadProcess } from './processes/load-process.ts'
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

/** The RPC services that a caller's token grants, by what they are called for. */
const grants = (Object.keys(callers) as CallerName[]).flatMap(name =>
  grantOf(name).calls.map(callee => ({ name, callee })),
)
const isPublic = ({ callee }: (typeof grants)[number]) => publicServices.some(each => each === callee)
const byCaller = (some: typeof grants) =>
  Object.entries(Object.groupBy(some, ({ name }) => name)).map(([name, all = []]) => [
    name,
    all.map(({ callee }) => callee.name),
  ])

test('each caller may call the internal RPC services that it needs, and no more', () => {
  assert.deepEqual(byCaller(grants.filter(each => !isPublic(each))), [
    [
      'gateway',
      [
        'IdentityService',
        'RateService',
        'IdempotencyService',
        'StatusService',
        'StreamTokenService',
        'PaymentService',
        'BacklogService',
      ],
    ],
    ['identity', ['RateService']],
    ['compute', ['LeaseService', 'OwnerService', 'ConsumerDirectoryService', 'CapacityService']],
    [
      'workforce',
      [
        'LeaseService',
        'OwnerService',
        'QuotaService',
        'ConsumerDirectoryService',
        'TaskFileService',
        'WorkforceUsageService',
      ],
    ],
    ['batch', ['ConsumerDirectoryService', 'BatchTaskService', 'TaskFileService']],
    ['instance', ['ConsumerDirectoryService']],
    ['executor', ['LeaseService']],
    ['billing', ['ConsumerDirectoryService']],
    ['webhook', ['ConsumerDirectoryService']],
    ['operator', ['AccountService', 'ConsumerService', 'LedgerService']],
  ])
})

test('beside the gateway, few may call a service of REST', () => {
  assert.deepEqual(byCaller(grants.filter(each => isPublic(each) && each.name !== 'gateway')), [
    ['compute', ['ComputeService']],
    ['workforce', ['WorkforceService', 'FileService']],
    ['batch', ['FileService']],
    ['instance', ['InstanceService']],
    ['operator', ['ApiKeyService']],
  ])
})

test('an executor, which runs what customers send, can name no account', () => {
  assert.equal(grantOf('executor').secret, false)
})

test('each service calls services of the table, and may miss only those that it calls', () => {
  for (const name of serviceNames) {
    const callees: readonly string[] = calleesOf(name)
    for (const callee of callees) assert.ok(callee in services, `${name} calls ${callee}`)
    const missed = serviceNames.filter(callee => isReadyWithout(name, callee))
    for (const callee of missed) assert.ok(callees.includes(callee), `${name} is ready without ${callee}`)
  }
})

test('each service starts once, after those that it calls, and the gateway last', () => {
  const steps = startSteps()
  assert.deepEqual(steps.flat().sort(), [...serviceNames].sort())
  for (const [at, step] of steps.entries()) {
    const started = steps.slice(0, at).flat()
    for (const name of step)
      for (const callee of calleesOf(name)) assert.ok(started.includes(callee), `${name}: ${callee}`)
  }
  assert.ok(steps.at(-1)?.includes('gateway'))
})

test('the process of each service reads the variables that its entry asks for', async () => {
  for (const name of serviceNames) {
    const { variables } = await loadProcess(name)
    const described = variables.describe()
    const reads = (variable: string) => described.some(each => each.name === variable)
    const row = services[name]
    const expected = {
      MILLHAND_METRICS_ADDR: true,
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
