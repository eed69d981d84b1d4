/** The compose file is one that docker-compose takes, and gives every process what it needs and no more. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { parseEnv } from 'node:util'
import { ConfigurationError, configuration, type Described } from '@millhand/process'
import { composeMissing, javaMissing, startKafka } from '@millhand/test-servers'
import { Kafka, logLevel } from 'kafkajs'
import { parse } from 'yaml'
import { operatorVariables } from './operator/deployment.ts'
import { composeSecrets } from './processes/compose-secrets.ts'
import { loadProcess } from './processes/load-process.ts'
import { callingVariables, ownCredentialsOf, signingVariables } from './processes/own-credentials.ts'
import { freeAddress } from './processes.fixture.ts'
import { urlVariable } from './service-urls.ts'
import { calleesOf, type ServiceName, serviceNames, usesKafka } from './services.ts'

const secret = 'the operator of this stack, for tests alone'
const operator = { MILLHAND_SECRET_KEY: secret }
const settings = parseEnv(composeSecrets([], operator).lines) as Record<string, string>
const variables = new Map(
  await Promise.all(serviceNames.map(async name => [name, (await loadProcess(name)).variables] as const)),
)
const reading = (variable: string): ServiceName[] =>
  serviceNames.filter(name =>
    variables
      .get(name)
      ?.describe()
      .some(each => each.name === variable),
  )

/** What of it says who calls. */
const callingOf = (environment: Record<string, string>) =>
  configuration(
    'MILLHAND_SECRET_KEY' in environment ? signingVariables : callingVariables,
    Object.keys(environment),
  )(environment)

const file = new URL('../compose.yaml', import.meta.url).pathname

function composed(env: Record<string, string>): string {
  return execFileSync('docker-compose', ['-f', file, 'config'], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

describe('compose.yaml', { skip: composeMissing() }, () => {
  it('is valid and tells every process what it reads, and nothing else', () => {
    const { services } = parse(composed(settings))
    for (const [name, read] of variables) {
      const { command, environment } = services[name]
      assert.deepEqual(command, [name])
      assert.doesNotThrow(() => read(environment), name)
      const known = read.describe().map((each: Described) => each.name)
      for (const variable of Object.keys(environment)) assert.ok(known.includes(variable), `${name}: ${variable}`)
    }
    for (const name of reading('MILLHAND_PLANS_FILE'))
      assert.match(JSON.stringify(services[name].volumes), /deploy\/plans\.yaml.*\/plans\.yaml/)
    for (const name of serviceNames) {
      const { environment } = services[name]
      if (calleesOf(name).length === 0) continue
      assert.doesNotThrow(() => ownCredentialsOf(name, callingOf(environment)), name)
      for (const callee of calleesOf(name)) assert.equal(environment[urlVariable(callee)], `http://${callee}:8081`)
    }
    const { MILLHAND_SERVICE_TOKEN: token, MILLHAND_IDENTITY_URL: identity } = services.operator.environment
    assert.equal(operatorVariables(services.operator.environment).MILLHAND_SERVICE_TOKEN?.reveal(), token)
    assert.equal(identity, services.gateway.environment.MILLHAND_IDENTITY_URL)
    assert.ok(!composed(settings).includes(secret), 'the operator’s secret is for none of them')
    for (const name of ['kafka', 'mongo', 'prometheus', 'grafana'])
      assert.match(services[name].image, /^[a-z/]+:v?[\d.]+$/)
  })

  it('lets only those reach each other who must, and publishes the gateway alone, and Prometheus and Grafana on this machine', () => {
    const { services, networks } = parse(composed(settings))
    const within = (network: string) =>
      Object.keys(services).filter(name => Object.keys(networksOf(services[name])).includes(network))
    assert.deepEqual(within('database').sort(), ['mongo', ...reading('MILLHAND_MONGO_URL')].sort())
    assert.deepEqual(within('log').sort(), ['kafka', 'kafka-grants', ...serviceNames.filter(usesKafka)].sort())
    // An executor runs what customers send in: it reaches whom it calls, and Prometheus alone reaches it.
    assert.deepEqual(within('runs').sort(), ['executor', 'prometheus', ...calleesOf('executor')].sort())
    assert.deepEqual(
      within('services').sort(),
      ['operator', 'prometheus', ...serviceNames.filter(name => name !== 'executor')].sort(),
    )
    assert.deepEqual(within('outside').sort(), ['gateway', 'webhook'])
    assert.deepEqual(within('observability').sort(), ['grafana', 'prometheus'])
    assert.deepEqual(within('language-models'), ['executor'])
    assert.deepEqual(within('payments'), ['billing'])
    assert.deepEqual(within('default'), [])
    for (const name of ['services', 'runs', 'database', 'log', 'language-models', 'payments'])
      assert.equal(networks[name].internal, true)
    const open = parse(composed({ ...settings, LANGUAGE_MODELS_INTERNAL: 'false', PAYMENTS_INTERNAL: 'false' }))
    for (const name of ['language-models', 'payments']) assert.notEqual(open.networks[name].internal, true)
    const published = Object.keys(services).filter(name => services[name].ports !== undefined)
    assert.deepEqual(published.sort(), ['gateway', 'grafana', 'prometheus'])
    for (const name of ['grafana', 'prometheus']) assert.match(JSON.stringify(services[name].ports), /127\.0\.0\.1/)
  })

  it('tells of the models whoever offers work that needs them, and their keys executors alone', () => {
    const llm = {
      MILLHAND_LLM_URL: 'http://model:8000/v1',
      MILLHAND_LLM_MODEL: 'small',
      MILLHAND_LLM_KEY: 'of the model',
      MILLHAND_LLM_INPUT_MICROS: '150000',
      MILLHAND_LLM_OUTPUT_MICROS: '600000',
      MILLHAND_IMAGE_URL: 'http://pictures:8000/v1',
      MILLHAND_IMAGE_MODEL: 'painter',
      MILLHAND_IMAGE_KEY: 'of the painter',
      MILLHAND_IMAGE_MICROS: '40000',
    }
    const { services } = parse(composed({ ...settings, ...llm }))
    const told = (name: string) =>
      Object.entries<string>(services[name].environment).filter(
        ([variable, value]) => /^MILLHAND_(LLM|IMAGE)_/.test(variable) && value !== '',
      )
    assert.deepEqual(Object.fromEntries(told('executor')), llm)
    const others = Object.entries(llm).filter(([variable]) => !/_(MODEL|KEY)$/.test(variable))
    assert.deepEqual(Object.fromEntries(told('workforce')), Object.fromEntries(others))
    for (const name of ['gateway', 'compute', 'webhook']) assert.deepEqual(told(name), [])
  })

  it('gives the file of a language model to executors alone, and says to who offers work that there is one', () => {
    const { services } = parse(composed({ ...settings, MILLHAND_LLM_GGUF: '/models/small.gguf' }))
    for (const name of ['executor', 'workforce'])
      assert.equal(services[name].environment.MILLHAND_LLM_GGUF, '/models/small.gguf')
    const mounting = Object.keys(services).filter(name =>
      services[name].volumes?.includes('/models/small.gguf:/models/small.gguf:ro'),
    )
    assert.deepEqual(mounting, ['executor'])
  })

  it('gives the folder of an embedding model to executors alone', () => {
    const { services } = parse(composed({ ...settings, MILLHAND_EMBEDDING_MODEL: '/models/sentences' }))
    const given = Object.keys(services).filter(name => services[name].environment?.MILLHAND_EMBEDDING_MODEL)
    const mounting = Object.keys(services).filter(name =>
      services[name].volumes?.includes('/models/sentences:/models/sentences:ro'),
    )
    assert.deepEqual([given, mounting], [['executor'], ['executor']])
  })

  it('says which secret is missing', () => {
    const text = readFileSync(file, 'utf8')
    for (const name of Object.keys(settings)) assert.ok(text.includes(`\${${name}:?pnpm serve compose-secrets}`), name)
    assert.throws(() => composed({ ...settings, MONGO_PASSWORD: '' }), /MONGO_PASSWORD.*pnpm serve compose-secrets/)
  })

  it('can give executors a token that ends, and nothing else that is new', () => {
    const { lines, note } = composeSecrets(['--days', '2'], operator)
    const { EXECUTOR_SERVICE_TOKEN, ...others } = parseEnv(lines)
    const { EXECUTOR_SERVICE_TOKEN: _, ...before } = settings
    assert.deepEqual({ ...others }, before)
    const executor = { ...parse(composed(settings)).services.executor.environment }
    executor.MILLHAND_SERVICE_TOKEN = EXECUTOR_SERVICE_TOKEN
    const { expiresAt = 0 } = ownCredentialsOf('executor', callingOf(executor))
    assert.ok(Math.abs(expiresAt - Date.now() - 2 * 86_400_000) < 3_600_000)
    assert.equal(note, `The token of the executors ends at ${new Date(expiresAt).toISOString()}.`)
    assert.throws(() => composeSecrets(['--days', '0'], operator), ConfigurationError)
  })

  it('gives a password to the database and to each user of the broker', () => {
    const { services } = parse(composed(settings))
    const passwords = Object.entries(settings).filter(([name]) => name.endsWith('_PASSWORD'))
    assert.equal(new Set(passwords.map(([, password]) => password)).size, passwords.length)
    const jaas: string = services.kafka.environment.KAFKA_LISTENER_NAME_CLIENT_PLAIN_SASL_JAAS_CONFIG
    for (const name of serviceNames.filter(usesKafka)) {
      const { MILLHAND_KAFKA_USER: user, MILLHAND_KAFKA_PASSWORD: password } = services[name].environment
      assert.equal(user, name)
      assert.ok(jaas.includes(`user_${user}="${password}"`))
    }
    const { MILLHAND_PASSWORD } = services.mongo.environment
    for (const name of reading('MILLHAND_MONGO_URL'))
      assert.ok(services[name].environment.MILLHAND_MONGO_URL.startsWith(`mongodb://millhand:${MILLHAND_PASSWORD}@`))
  })

  it('starts a broker that lets in its users, and no one else', { skip: javaMissing }, async () => {
    const { environment } = parse(composed(settings)).services.kafka
    const [client, controller] = [await freeAddress(), await freeAddress()]
    const properties = Object.entries<string>(environment)
      .filter(([name]) => name !== 'KAFKA_LOG_DIRS')
      .map(([name, value]) => `${name.slice('KAFKA_'.length).toLowerCase().replaceAll('_', '.')}=${value}`)
      .map(line => line.replace(/CLIENT:\/\/[a-z]*:9092/, `CLIENT://${client}`).replace('localhost:9093', controller))
    await using _kafka = await startKafka({ properties })
    const topics = (username: string, password = '') => {
      const sasl = { mechanism: 'plain', username, password } as const
      const admin = new Kafka({ brokers: [client], sasl, logLevel: logLevel.NOTHING, retry: { retries: 3 } }).admin()
      const listed = admin.connect().then(() => admin.createTopics({ topics: [{ topic: `millhand.${username}` }] }))
      return listed.finally(() => admin.disconnect())
    }
    assert.equal(await topics('broker', settings.KAFKA_BROKER_PASSWORD), true)
    // Known, but kafka-grants has granted nothing here.
    await assert.rejects(topics('compute', settings.KAFKA_COMPUTE_PASSWORD), { name: 'KafkaJSAggregateError' })
    await assert.rejects(topics('compute', settings.KAFKA_EXECUTOR_PASSWORD), /authentication/i)
  })
})

/** docker-compose writes them as a list or as a map. */
function networksOf({ networks = { default: null } }: { networks?: string[] | Record<string, unknown> }) {
  return Array.isArray(networks) ? Object.fromEntries(networks.map(name => [name, null])) : networks
}
