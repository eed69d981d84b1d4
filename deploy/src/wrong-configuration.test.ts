/** What is wrong with the configuration of a process stops its start, with one clear line. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createApiKey } from '@millhand/api'
import { createCredentialsIssuer } from '@millhand/rpc/network'
import { createAuthority, opensslMissing } from '@millhand/test-servers'
import { loadProcess } from './processes/load-process.ts'
import { credentialsFor, type Environment, operatorSecret, serve } from './processes.fixture.ts'
import { urlVariable } from './service-urls.ts'
import { calleesOf, type ServiceName, serviceNames } from './services.ts'
import { startFault } from './start-fault.ts'

const all = new Map(await Promise.all(serviceNames.map(async name => [name, await loadProcess(name)] as const)))

const values: Environment = {
  MILLHAND_HTTP_ADDR: '127.0.0.1:0',
  MILLHAND_GRPC_ADDR: '127.0.0.1:0',
  MILLHAND_MONGO_URL: 'mongodb://127.0.0.1:1/millhand',
  MILLHAND_KAFKA_BROKERS: '127.0.0.1:1',
}
const rightOf = (service: ServiceName): Environment => {
  const reads =
    all
      .get(service)
      ?.variables.describe()
      .map(each => each.name) ?? []
  return {
    ...Object.fromEntries(Object.entries(values).filter(([name]) => reads.includes(name))),
    ...Object.fromEntries(calleesOf(service).map(callee => [urlVariable(callee), 'http://127.0.0.1:1'])),
    ...credentialsFor(service),
  }
}

const folder = mkdtempSync(join(tmpdir(), 'millhand-configuration-'))
after(() => rmSync(folder, { recursive: true }))
const file = (name: string) => join(folder, name)
const certificates = {
  MILLHAND_TLS_CERT: file('cert'),
  MILLHAND_TLS_KEY: file('key'),
  MILLHAND_TLS_CA: file('ca'),
}
before(() => {
  writeFileSync(file('broken.gguf'), `GGUF${'\0'.repeat(100)}`)
  mkdirSync(file('broken-embedding'))
  writeFileSync(file('broken-embedding/model.onnx'), 'no model')
  writeFileSync(file('broken-embedding/tokenizer.json'), '{}')
  if (opensslMissing) return
  const authority = createAuthority('ours')
  const { cert, key } = authority.issue()
  for (const [name, content] of Object.entries({
    cert,
    key,
    ca: authority.ca,
    'other-key': authority.issue().key,
    rubbish: 'rubbish',
  })) {
    writeFileSync(file(name), content)
  }
})

const others = createCredentialsIssuer(Buffer.from('the operator of another deployment, who is nobody here'))
const day = 86_400_000

const table: readonly [ServiceName, Environment, RegExp][] = [
  ['gateway', { MILLHAND_HTTP_ADDR: 'nonsense' }, /^MILLHAND_HTTP_ADDR must be host:port/],
  ['gateway', { MILLHAND_COMPUTE_URL: 'compute:8081' }, /^MILLHAND_COMPUTE_URL must be one or more URLs/],
  ['gateway', { MILLHAND_COMPUT_URL: 'x' }, /^MILLHAND_COMPUT_URL is not known. Did you mean MILLHAND_COMPUTE_URL\?/],
  [
    'gateway',
    { MILLHAND_SERVICE_TOKEN: 'rubbish' },
    /^MILLHAND_SERVICE_TOKEN must be a service token. .*credentials gateway/,
  ],
  ['gateway', tokenOf('executor'), /^MILLHAND_SERVICE_TOKEN must be a token of gateway; it is one of executor\./],
  ['gateway', tokenOf('gateway', Date.now() - day), /^MILLHAND_SERVICE_TOKEN expired at 20/],
  ['gateway', { MILLHAND_SECRET_KEY: 'short' }, /^MILLHAND_SECRET_KEY must be text of at least 32 characters\.$/],
  ['gateway', { MILLHAND_SECRET_KEY: operatorSecret }, /^MILLHAND_SECRET_KEY must be the one that was made with/],
  ['billing', { MILLHAND_USAGE_ENTRY_DAYS: '30' }, /^MILLHAND_USAGE_ENTRY_DAYS must be a whole number of days/],
  [
    'billing',
    { MILLHAND_RETENTION_DAYS: '400' },
    /^MILLHAND_USAGE_ENTRY_DAYS must be more than MILLHAND_RETENTION_DAYS/,
  ],
  [
    'instance',
    { MILLHAND_EXECUTOR_IMAGE: 'executor', MILLHAND_DOCKER_EXECUTOR_NETWORK: 'executors' },
    /^MILLHAND_EXECUTOR_COMPUTE_URL must be set too: /,
  ],
  ...['http://compute:8081', 'http://10.0.0.5:1,http://10.0.0.6:1'].map((url): (typeof table)[number] => [
    'instance',
    {
      MILLHAND_EXECUTOR_IMAGE: 'executor',
      MILLHAND_DOCKER_EXECUTOR_NETWORK: 'executors',
      MILLHAND_EXECUTOR_COMPUTE_URL: url,
    },
    /^MILLHAND_EXECUTOR_COMPUTE_URL must be one URL with an IP address\.$/,
  ]),
  ['webhook', { MILLHAND_WEBHOOK_ALLOW: '10.0.0.0/8,home' }, /^MILLHAND_WEBHOOK_ALLOW must be ranges of addresses/],
  ['webhook', { MILLHAND_SECRET_KEY: 'short' }, /^MILLHAND_SECRET_KEY must be text of at least 32 characters\.$/],
  ['executor', tokenOf('gateway'), /^MILLHAND_SERVICE_TOKEN must be a token of executor; it is one of gateway\./],
  ['executor', { MILLHAND_EXECUTOR_SLOTS: '65' }, /^MILLHAND_EXECUTOR_SLOTS must be a whole number/],
  ['executor', { MILLHAND_MODELS_DIR: '/nowhere/at/all' }, /^MILLHAND_MODELS_DIR must be a folder that can be used/],
  ['compute', { MILLHAND_TRUSTED_KEYS: others.publicKey }, /^MILLHAND_TRUSTED_KEYS must have the key of who made/],
  ['compute', { MILLHAND_TRUSTED_KEYS: 'rubbish' }, /^MILLHAND_TRUSTED_KEYS must be one or more public keys/],
  ['compute', { MILLHAND_SECRET_KEY: secretOf('gateway') }, /^MILLHAND_SECRET_KEY must be the one that was made with/],
  [
    'compute',
    { MILLHAND_MONGO_URL: 'mongodb://user:hunter2@host' },
    /^MILLHAND_MONGO_URL must be a URL such as .*name\.$/,
  ],
  ['compute', { MILLHAND_KAFKA_BROKERS: 'kafka' }, /^MILLHAND_KAFKA_BROKERS must be one or more of host:port/],
  [
    'compute',
    { MILLHAND_KAFKA_USER: 'compute' },
    /^MILLHAND_KAFKA_USER and MILLHAND_KAFKA_PASSWORD must be set together/,
  ],
  ['compute', { MILLHAND_KAFKA_SASL: 'gssapi' }, /^MILLHAND_KAFKA_SASL must be one of plain, scram/],
  ['compute', { MILLHAND_KAFKA_CA: '/nowhere' }, /^MILLHAND_KAFKA_CA must not be set without MILLHAND_KAFKA_TLS/],
  ['compute', { MILLHAND_KAFKA_CA: '/nowhere', MILLHAND_KAFKA_TLS: 'true' }, /^MILLHAND_KAFKA_CA must be a file/],
  ['compute', { MILLHAND_KAFKA_REPLICATION: '0' }, /^MILLHAND_KAFKA_REPLICATION must be a whole number/],
  ['compute', { MILLHAND_GRPC_ADDR: '192.0.2.1:1' }, /^MILLHAND_GRPC_ADDR: .*EADDRNOTAVAIL/],
  [
    'identity',
    { MILLHAND_BOOTSTRAP_KEY: createApiKey('test') },
    /^MILLHAND_BOOTSTRAP_KEY must be an API key of `mh_live_`/,
  ],
  ['identity', { MILLHAND_BOOTSTRAP_KEY: createApiKey('live') }, /^MILLHAND_BOOTSTRAP_KEY and .* must be set together/],
  ['identity', { MILLHAND_BOOTSTRAP_PLANS: 'growth' }, /^MILLHAND_BOOTSTRAP_PLANS must be plans by family/],
  [
    'identity',
    {
      MILLHAND_BOOTSTRAP_KEY: createApiKey('live'),
      MILLHAND_BOOTSTRAP_TEST_KEY: createApiKey('test'),
      MILLHAND_BOOTSTRAP_PLANS: 'compute:gold',
    },
    /^MILLHAND_BOOTSTRAP_PLANS must name one of starter, growth, scale, enterprise for compute; there is no gold\.$/,
  ],
  ['identity', { MILLHAND_PLANS_FILE: '/nowhere' }, /^The file of plans can't be read: .*nowhere/],
  [
    'identity',
    { MILLHAND_TLS_CERT: certificates.MILLHAND_TLS_CERT },
    /^MILLHAND_TLS_KEY and MILLHAND_TLS_CA must be set too/,
  ],
  ['identity', { ...certificates, MILLHAND_TLS_CA: '/nowhere' }, /^MILLHAND_TLS_CA must be a file that can be read/],
  ...(['executor', 'workforce'] as const).map((service): (typeof table)[number] => [
    service,
    { MILLHAND_LLM_URL: 'http://127.0.0.1:1/v1', MILLHAND_LLM_GGUF: '/nowhere' },
    /^MILLHAND_LLM_URL and MILLHAND_LLM_GGUF name a language model each: set one of them\.$/,
  ]),
  ['billing', { MILLHAND_PAYMENT_PROCESSOR: 'paypal' }, /^MILLHAND_PAYMENT_PROCESSOR must be one of none, stripe; it/],
  [
    'billing',
    stripe({ MILLHAND_STRIPE_KEY: '' }),
    /^MILLHAND_STRIPE_KEY must be set where MILLHAND_PAYMENT_PROCESSOR /,
  ],
  [
    'billing',
    stripe({ MILLHAND_STRIPE_WEBHOOK_SECRET: '' }),
    /^MILLHAND_STRIPE_WEBHOOK_SECRET must be set where MILLHAND_PAYMENT_PROCESSOR is stripe\.$/,
  ],
  ['billing', stripe({ MILLHAND_STRIPE_KEY: 'pk_test_51Hswordfish' }), /^MILLHAND_STRIPE_KEY must be a secret key /],
  ['billing', stripe({ MILLHAND_STRIPE_KEY: 'whsec_swordfish' }), /^MILLHAND_STRIPE_KEY must be a secret key /],
  [
    'billing',
    stripe({ MILLHAND_STRIPE_WEBHOOK_SECRET: 'sk_test_51Hswordfish' }),
    /^MILLHAND_STRIPE_WEBHOOK_SECRET must be the signing secret of a webhook endpoint of Stripe: `whsec_…`\.$/,
  ],
  [
    'billing',
    stripe({ MILLHAND_STRIPE_URL: 'https://proxy/stripe' }),
    /^MILLHAND_STRIPE_URL must be a URL .* without a path/,
  ],
  [
    'billing',
    stripe({ MILLHAND_STRIPE_KEY: 'sk_live_51Hswordfish', MILLHAND_STRIPE_URL: 'http://127.0.0.1:1' }),
    /^MILLHAND_STRIPE_URL must be https: where MILLHAND_STRIPE_KEY is a live key\.$/,
  ],
  ['executor', { MILLHAND_LLM_GGUF: '/nowhere' }, /^MILLHAND_LLM_GGUF must be a file that can be read: ENOENT/],
  ['executor', { MILLHAND_LLM_GGUF: import.meta.filename }, /^MILLHAND_LLM_GGUF must be a file of the form GGUF/],
  ['executor', { MILLHAND_LLM_GGUF: file('broken.gguf') }, /^MILLHAND_LLM_GGUF names a model that can't be loaded: /],
  [
    'executor',
    { MILLHAND_EMBEDDING_MODEL: '/nowhere' },
    /^MILLHAND_EMBEDDING_MODEL must be a folder .* ENOENT.*\/nowhere\/model\.onnx.*; docs\/workforce\.md says how/,
  ],
  [
    'executor',
    { MILLHAND_EMBEDDING_MODEL: file('broken-embedding') },
    /^MILLHAND_EMBEDDING_MODEL names a folder whose model can't be loaded: /,
  ],
]
const withCertificates: typeof table = [
  ['identity', { ...certificates, MILLHAND_TLS_CERT: file('rubbish') }, /^MILLHAND_TLS_CERT, .* must be PEM/],
  [
    'identity',
    { ...certificates, MILLHAND_TLS_KEY: file('other-key') },
    /^MILLHAND_TLS_CERT, .* that of the certificate/,
  ],
  ['gateway', certificates, /^MILLHAND_IDENTITY_URL must be https: where/],
  ['executor', certificates, /^MILLHAND_COMPUTE_URL must be https: where/],
  [
    'compute',
    { ...certificates, MILLHAND_ADVERTISE_URL: 'http://here:1' },
    /^MILLHAND_ADVERTISE_URL must be https: where/,
  ],
]

describe('a process', { concurrency: 3 }, () => {
  for (const [service, wrong, line] of [...table, ...withCertificates]) {
    const skip = wrong.MILLHAND_TLS_CERT !== undefined && opensslMissing
    it(`that is ${service} does not start: ${line.source}`, { skip }, async () => {
      const { lines, output } = await refusal(service, { ...rightOf(service), ...wrong })
      assert.equal(lines.length, 1, output)
      assert.match(lines[0] ?? '', line)
      for (const secret of [wrong.MILLHAND_SECRET_KEY, wrong.MILLHAND_BOOTSTRAP_KEY, wrong.MILLHAND_SERVICE_TOKEN])
        if (secret) assert.ok(!output.includes(secret), 'a secret is not told back')
      for (const word of ['hunter2', 'swordfish']) assert.ok(!output.includes(word), 'a password is not told back')
    })
  }

  it('says so and ends with 1', async () => {
    assert.equal(await faultOfProcess('gateway', {}), `${faultOf('gateway', {})}\n`)
  })

  for (const service of serviceNames) {
    it(`that is ${service} names all that has to be set`, async () => {
      const { lines } = await refusal(service, {})
      const needed = rightOf(service)
      const names = Object.keys(needed).filter(name => !name.endsWith('_ADDR'))
      assert.deepEqual(lines.map(each => each.replace(/ has to be set\. .*$/, '')).sort(), names.sort())
    })
  }
})

/** What its process says that does not start; a real one is started where only its start can tell. */
async function refusal(service: ServiceName, env: Environment) {
  const said = faultOf(service, env) ?? (await faultOfProcess(service, env))
  const [head, ...lines] = said.trimEnd().split('\n')
  assert.equal(head, 'The configuration is wrong:')
  return { lines: lines.map(each => each.trim()), output: said }
}

/** Undefined where nothing stands against its configuration by itself. */
function faultOf(service: ServiceName, env: Environment): string | undefined {
  try {
    all.get(service)?.prepare(env)
    return undefined
  } catch (error) {
    return startFault(error)
  }
}

async function faultOfProcess(service: string, env: Environment): Promise<string> {
  await using running = serve([service], env)
  assert.equal(await running.end, 1)
  const { stdout, stderr } = running.output
  assert.equal(stdout, '')
  for (const [line] of stderr.matchAll(/^\{.*$/gm)) assert.equal(JSON.parse(line).process, service, line)
  return stderr.replaceAll(/^\{.*\n/gm, '')
}

function tokenOf(service: 'gateway' | 'executor', expiresAt?: number): Environment {
  return { MILLHAND_SERVICE_TOKEN: credentialsFor(service, expiresAt).MILLHAND_SERVICE_TOKEN as string }
}

/** What Stripe needs, with what is wrong of it. */
function stripe(wrong: Environment): Environment {
  return {
    MILLHAND_PAYMENT_PROCESSOR: 'stripe',
    MILLHAND_STRIPE_KEY: 'sk_test_51Hswordfish',
    MILLHAND_STRIPE_WEBHOOK_SECRET: 'whsec_swordfish',
    ...wrong,
  }
}

function secretOf(service: 'gateway'): string {
  return credentialsFor(service).MILLHAND_SECRET_KEY as string
}
