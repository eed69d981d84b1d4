/** Processes that show certificates, and a broker that gives each of them no more than it needs. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { Health, HealthCheckResponse_ServingStatus as Status } from '@millhand/api/gen/grpc/health/v1/health_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { type ClientTls, createNetworkTransport } from '@millhand/rpc/network'
import {
  type Authority,
  createAuthority,
  javaMissing,
  opensslMissing,
  startKafka,
  startMongo,
} from '@millhand/test-servers'
import kafkajs, { type Admin, Kafka, type KafkaConfig, logLevel } from 'kafkajs'
import { parse } from 'yaml'
import { runOperator } from './operator/run-operator.ts'
import { credentialsFor, type Environment, freeAddress, type Running, serve } from './processes.fixture.ts'
import { describeSecuredConsumers } from './secured-consumers.fixture.ts'
import { urlVariable } from './service-urls.ts'
import { calleesOf, dispatchTopic } from './services.ts'

// A CommonJS module: Node finds only some of its names.
const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs

const passwords = {
  identity: 'identity at the broker',
  compute: 'compute at the broker',
  workforce: 'workforce at the broker',
  executor: 'executor at the broker',
  billing: 'billing at the broker',
  webhook: 'webhook at the broker',
  instance: 'instance at the broker',
}

/** An address at which nobody listens: of services that are not under test. */
const NOBODY = 'https://127.0.0.1:4'

describe('a deployment with certificates and users', { skip: javaMissing || opensslMissing }, () => {
  const parts = new AsyncDisposableStack()
  const running = new Map<string, Running>()
  const urls = new Map<string, string>()
  let ours: Authority
  let theirs: Authority
  let broker: string
  let openBroker: string
  let key: string
  let consumer: { readonly account: string; readonly secret: string }

  before(async () => {
    ours = createAuthority('ours')
    theirs = createAuthority('theirs')
    broker = await freeAddress()
    openBroker = await freeAddress()
    const properties = await brokerProperties(openBroker, broker, ours)
    const [kafka, mongo] = await Promise.all([startKafka({ properties }), startMongo()])
    parts.use(kafka)
    parts.use(mongo)
    await grantAtBroker(openBroker)

    const folder = mkdtempSync(join(tmpdir(), 'millhand-certificates-'))
    parts.defer(() => rmSync(folder, { recursive: true }))
    const certificatesOf = (name: string): Environment => {
      const { cert, key } = ours.issue()
      const files = { CERT: cert, KEY: key, CA: ours.ca }
      return Object.fromEntries(
        Object.entries(files).map(([kind, content]) => {
          const file = join(folder, `${name}-${kind}`)
          writeFileSync(file, content, { mode: 0o600 })
          return [`MILLHAND_TLS_${kind}`, file]
        }),
      )
    }
    const kafkaOf = (user: keyof typeof passwords): Environment => ({
      MILLHAND_KAFKA_BROKERS: broker,
      MILLHAND_KAFKA_USER: user,
      MILLHAND_KAFKA_PASSWORD: passwords[user],
      MILLHAND_KAFKA_TLS: 'true',
      MILLHAND_KAFKA_CA: join(folder, 'identity-CA'),
    })
    const start = async (
      name: 'identity' | 'compute' | 'workforce' | 'executor' | 'billing' | 'webhook' | 'instance' | 'gateway',
      env: Environment,
    ) => {
      const address = { [name === 'gateway' ? 'MILLHAND_HTTP_ADDR' : 'MILLHAND_GRPC_ADDR']: '127.0.0.1:0' }
      const process = parts.use(serve([name], { ...address, ...credentialsFor(name), ...certificatesOf(name), ...env }))
      running.set(name, process)
      const { http, grpc } = await process.ready
      urls.set(name, grpc ?? http)
    }
    const database = { MILLHAND_MONGO_URL: mongo.url('millhand') }
    await start('identity', { ...database, ...kafkaOf('identity') })
    const operator = async (...words: string[]): Promise<Record<string, string>> => {
      const said = { out: [] as string[], err: [] as string[] }
      const code = await runOperator(
        [...words, '--json'],
        {
          ...credentialsFor('operator'),
          ...certificatesOf('operator'),
          MILLHAND_IDENTITY_URL: urls.get('identity') as string,
        },
        { out: text => said.out.push(text), err: text => said.err.push(text) },
      )
      assert.equal(code, 0, said.err.join(''))
      return JSON.parse(said.out.join(''))
    }
    const account = await operator('accounts', 'create', 'ours')
    key = (await operator('keys', 'create', 'first', '--account', account.id as string)).key as string
    const words = ['--accounts', account.id as string, '--methods', 'millhand.compute.v1.ComputeService/*']
    const { secret = '' } = await operator('consumers', 'create', 'reports', ...words)
    consumer = { account: account.id as string, secret }
    const own = { ...database, MILLHAND_IDENTITY_URL: urls.get('identity') as string }
    await start('instance', { ...own, ...kafkaOf('instance') })
    const instanceUrl = { MILLHAND_INSTANCE_URL: urls.get('instance') as string }
    await start('compute', { ...own, ...instanceUrl, ...kafkaOf('compute') })
    await start('billing', { ...own, ...kafkaOf('billing'), MILLHAND_METRICS_ADDR: '127.0.0.1:0' })
    await start('webhook', { ...own, ...kafkaOf('webhook') })
    const computeUrl = { MILLHAND_COMPUTE_URL: urls.get('compute') as string }
    const billingUrl = { MILLHAND_BILLING_URL: urls.get('billing') as string }
    await start('workforce', { ...own, ...computeUrl, ...billingUrl, ...kafkaOf('workforce') })
    const workUrls = { ...computeUrl, MILLHAND_WORKFORCE_URL: urls.get('workforce') as string }
    await Promise.all([
      start('executor', { ...workUrls, ...kafkaOf('executor') }),
      start(
        'gateway',
        Object.fromEntries(calleesOf('gateway').map(name => [urlVariable(name), urls.get(name) ?? NOBODY])),
      ),
    ])
  })
  after(() => parts.disposeAsync())

  it('runs a task, its executor hears the broker’s bell, and billing of its end', async () => {
    const task = await create(urls.get('gateway') as string, key)
    assert.equal(task.status, 'succeeded')
    await using admin = await adminOf(executorOf(broker, ours))
    await until(async () => (await admin.fetchTopicOffsets(dispatchTopic)).some(({ high }) => Number(high) > 0))
    await using operator = await adminOf({ brokers: [openBroker], logLevel: logLevel.NOTHING })
    await until(async () => {
      const { groups } = await operator.listGroups()
      const { groups: described } = await operator.describeGroups(groups.map(({ groupId }) => groupId))
      return described.some(({ groupId, state }) => groupId.startsWith('tail.') && state === 'Stable')
    })
    await until(async () => {
      const headers = { authorization: `Bearer ${key}` }
      const answer = await fetch(`${urls.get('gateway')}/v1/usage`, { headers })
      const { total } = (await answer.json()) as { total?: { tasks: { succeeded: number } } }
      return total?.tasks.succeeded === 1
    })
  })

  it('may see at the broker how far its groups are behind', async () => {
    const line = running
      .get('billing')
      ?.output.stderr.split('\n')
      .find(each => each.includes('"metrics.served"'))
    const { url } = JSON.parse(line ?? '')
    const upToDate = /^millhand_event_reader_behind_events\{reader="billing-compute"\} 0$/m
    await until(async () => upToDate.test(await (await fetch(url)).text()))
  })

  it('archives what the tasks tell, and what keys and webhooks do', async () => {
    const ask = async (path: string, body?: object) => {
      const answer = await fetch(`${urls.get('gateway')}/v1/${path}`, {
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      })
      assert.ok(answer.ok, await answer.clone().text())
      return (await answer.json()) as { data: { type: string }[] }
    }
    await ask('webhooks', { url: 'https://example.com/hooks', events: ['key.revoked'] })
    await until(async () => {
      const types = new Set((await ask('events?limit=100')).data.map(({ type }) => type))
      return ['task.succeeded', 'key.created', 'webhook.created'].every(type => types.has(type))
    })
  })

  it('publishes what becomes of keys', async () => {
    await using operator = await adminOf({ brokers: [openBroker], logLevel: logLevel.NOTHING })
    await until(async () =>
      (await operator.fetchTopicOffsets('millhand.identity.v1')).some(({ high }) => Number(high) > 0),
    )
  })

  it('lets an executor do nothing at the broker but hear the bell', async () => {
    await using admin = await adminOf(executorOf(broker, ours))
    await assert.rejects(admin.fetchTopicOffsets('millhand.tasks.v1'), /not authorized/i)
    await assert.rejects(
      admin.createTopics({ topics: [{ topic: 'millhand.other.v1' }] }),
      ({ errors }: { errors: Error[] }) => /authoriz/i.test(`${errors}`),
    )
    const producer = new Kafka(executorOf(broker, ours)).producer({ allowAutoTopicCreation: false })
    await producer.connect()
    await assert.rejects(producer.send({ topic: dispatchTopic, messages: [{ value: '' }] }), /not authorized/i)
    await producer.disconnect()
  })

  for (const [user, topic] of [
    ['identity', 'millhand.tasks.v1'],
    ['compute', 'millhand.identity.v1'],
    ['webhook', 'millhand.tasks.v1'],
  ] as const) {
    it(`lets ${user} write no topic of another`, async () => {
      const config = { ...executorOf(broker, ours), sasl: sasl(user) }
      const producer = new Kafka(config).producer({ allowAutoTopicCreation: false })
      await producer.connect()
      await assert.rejects(producer.send({ topic, messages: [{ value: '' }] }), /not authorized/i)
      await producer.disconnect()
    })
  }

  it('lets nobody in at the broker without a password', async () => {
    await assert.rejects(adminOf({ ...executorOf(broker, ours), sasl: sasl('executor', 'guessed') }), /authentication/i)
  })

  for (const name of ['identity', 'compute', 'workforce', 'executor', 'billing', 'webhook', 'instance']) {
    it(`${name} answers nothing, not its health either, to who has no certificate of ours`, async () => {
      const url = urls.get(name) as string
      assert.match(url, /^https:/)
      const { cert, key } = ours.issue()
      const { MILLHAND_SERVICE_TOKEN: token = '' } = credentialsFor('executor')
      assert.equal(await healthOf(url, { ca: ours.ca, cert, key }), Status.SERVING)
      for (const tls of [{ ca: ours.ca }, { ca: ours.ca, ...theirs.issue() }]) {
        assert.equal(await healthOf(url, tls), Code.Unavailable)
        const transport = createNetworkTransport({ url, tls, token })
        const claim = createClient(LeaseService, transport).claim({ executorId: 'x', pool: 'live/onnx', runs: 1 })
        await assert.rejects(claim, { code: Code.Unavailable })
        transport.close()
      }
      assert.equal(await healthOf(url.replace('https:', 'http:'), {}), Code.Unavailable)
    })
  }

  describeSecuredConsumers(() => ({
    url: urls.get('compute') as string,
    ...consumer,
    authority: ours,
    stranger: theirs,
  }))
})

async function create(gateway: string, key: string): Promise<{ status: string }> {
  const answer = await fetch(`${gateway}/v1/tasks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', prefer: 'wait=30' },
    body: JSON.stringify({ type: 'inference', model: 'digits', input: JSON.stringify(Array(64).fill(0)) }),
  })
  assert.equal(answer.status, 201)
  return (await answer.json()) as { status: string }
}

/** Its status, or the code of the error. */
async function healthOf(url: string, tls: ClientTls): Promise<Status | Code> {
  const transport = createNetworkTransport({ url, tls })
  try {
    return (await createClient(Health, transport).check({}, { timeoutMs: 300_000 })).status
  } catch (error) {
    return ConnectError.from(error).code
  } finally {
    transport.close()
  }
}

/** A listener in the clear for the operator alone, and one with TLS and users, who have only what is granted. */
async function brokerProperties(openAddress: string, address: string, { issue }: Authority): Promise<string[]> {
  const controller = await freeAddress()
  const { cert, key } = issue()
  const oneLine = (pem: string) => pem.trim().replaceAll('\n', '\\n')
  const users = Object.entries(passwords).map(([user, password]) => `user_${user}="${password}"`)
  const jaas = `org.apache.kafka.common.security.plain.PlainLoginModule required ${users.join(' ')};`
  return [
    `listeners=PLAINTEXT://${openAddress},CONTROLLER://${controller},CLIENT://${address}`,
    `advertised.listeners=PLAINTEXT://${openAddress},CLIENT://${address}`,
    `controller.quorum.voters=1@${controller}`,
    'listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,CLIENT:SASL_SSL',
    'listener.name.client.sasl.enabled.mechanisms=PLAIN',
    `listener.name.client.plain.sasl.jaas.config=${jaas}`,
    'listener.name.client.ssl.keystore.type=PEM',
    `listener.name.client.ssl.keystore.certificate.chain=${oneLine(cert)}`,
    `listener.name.client.ssl.keystore.key=${oneLine(key)}`,
    'authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    'super.users=User:ANONYMOUS',
  ]
}

/** What `kafka-grants` of the compose file grants. */
async function grantAtBroker(openAddress: string): Promise<void> {
  const { services } = parse(readFileSync(new URL('../compose.yaml', import.meta.url), 'utf8'))
  const [script]: [string] = services['kafka-grants'].command
  const told = script
    .replaceAll('$$', '$')
    .replace('/opt/kafka/bin/kafka-acls.sh', 'echo')
    .replaceAll('/tmp/client', '/dev/null')
  const lines = execFileSync('bash', ['--norc', '-ec', told], { encoding: 'utf8' }).trim().split('\n')
  await using operator = await adminOf({ brokers: [openAddress], logLevel: logLevel.NOTHING })
  await operator.createAcls({
    acl: lines.flatMap(line => {
      const one = (name: string) => new RegExp(`--${name} (\\S+)`).exec(line)?.[1]
      const operations = [...line.matchAll(/--operation (\S+)/g)].map(([, operation]) => operation?.toUpperCase())
      const topic = one('topic')
      return operations.map(operation => ({
        principal: one('allow-principal') as string,
        host: '*',
        operation: AclOperationTypes[operation as keyof typeof AclOperationTypes],
        permissionType: AclPermissionTypes.ALLOW,
        resourceType: topic === undefined ? AclResourceTypes.GROUP : AclResourceTypes.TOPIC,
        resourceName: topic ?? (one('group') as string),
        resourcePatternType: one('resource-pattern-type')
          ? ResourcePatternTypes.PREFIXED
          : ResourcePatternTypes.LITERAL,
      }))
    }),
  })
}

const sasl = (username: keyof typeof passwords, password: string = passwords[username]) =>
  ({ mechanism: 'plain', username, password }) as const

const executorOf = (broker: string, { ca }: Authority): KafkaConfig => ({
  brokers: [broker],
  ssl: { ca },
  sasl: sasl('executor'),
  logLevel: logLevel.NOTHING,
})

async function adminOf(config: KafkaConfig): Promise<Admin & AsyncDisposable> {
  const admin = new Kafka({ ...config, retry: { retries: 3 } }).admin()
  await admin.connect()
  return Object.assign(admin, { [Symbol.asyncDispose]: () => admin.disconnect() })
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 300_000
  while (!(await isSo())) {
    assert.ok(performance.now() < deadline, 'it did not come to be')
    await pause(100)
  }
}
