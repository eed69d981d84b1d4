/** The whole product as processes, on a real broker and a database server, with a link between any two of them. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseEnv } from 'node:util'
import { newKey } from '@millhand/test-e2e/keys'
import { freePort, type Kafka, type Mongo, startKafka, startMongo } from '@millhand/test-servers'
import { urlVariable } from '../../../deploy/src/service-urls.ts'
import { calleesOf, type ServiceName, serviceNames, services, usesKafka } from '../../../deploy/src/services.ts'
import { createMember, type Member } from './process-member.ts'
import { createLink, type Link } from './tcp-proxy.ts'

const named = {
  gateway: ['gateway-1', 'gateway-2'],
  webhook: ['webhook-1', 'webhook-2'],
  compute: ['compute-1', 'compute-2'],
  executor: ['executor-1', 'executor-2', 'executor-3'],
} as const satisfies Partial<Record<ServiceName, readonly string[]>>

/** Two of each service; the first has the service's own name. */
const pairsOf = <Name extends string>(
  names: readonly Name[],
): { readonly [Each in Name]: readonly [Each, `${Each}-2`] } =>
  Object.fromEntries(names.map((name): readonly unknown[] => [name, [name, `${name}-2`]]))

/** The processes of each service. */
const replicas = { ...pairsOf(serviceNames), ...named }

export const { gateway: gateways, compute: computes, executor: executors, webhook: webhooks } = replicas

export type MemberName = (typeof replicas)[ServiceName][number]
export type ServerName = 'kafka' | 'mongo'

const serviceOf = (name: MemberName) => name.replace(/-\d$/, '') as ServiceName

/** Two of each service, and all executors. */
export const allMembers: readonly MemberName[] = Object.values(replicas).flat()

/** What a process reaches by links: what it calls, and the servers. Of replicas only those of compute reach each other so. */
const reachedBy = (name: MemberName): readonly string[] => {
  const service = serviceOf(name)
  return [
    ...calleesOf(service).flatMap(callee => replicas[callee]),
    ...(service === 'compute' ? computes.filter(other => other !== name) : []),
    ...(services[service].database ? ['mongo'] : []),
    ...(usesKafka(service) ? ['kafka'] : []),
  ]
}

const allLinks: readonly string[] = allMembers.flatMap(name => reachedBy(name).map(to => `${name}>${to}`))

/**
 * Two of what calls and is called; webhooks are delivered by one at a time, and few storms look at who takes over. Work
 * of employees has a storm of its own, and only the storm on tasks has batches.
 */
const usualMembers = allMembers.filter(
  name =>
    ![
      'webhook-2',
      'identity-2',
      'billing-2',
      'workforce',
      'workforce-2',
      'batch',
      'batch-2',
      'instance',
      'instance-2',
    ].includes(name),
)

/** The links that lead between these, and to the servers. */
function linksOf(members: readonly MemberName[]): readonly string[] {
  const ends: ReadonlySet<string> = new Set([...members, 'mongo', 'kafka'])
  return allLinks.filter(name => name.split('>').every(end => ends.has(end)))
}

/** The processes of the storm on tasks. */
export const stormMembers: readonly MemberName[] = [...usualMembers, 'batch']

export const linkNames = linksOf(stormMembers)

export interface System extends AsyncDisposable {
  readonly key: string
  readonly testKey: string
  readonly members: ReadonlyMap<MemberName, Member>
  readonly kafka: Kafka
  readonly mongo: Mongo
  readonly links: ReadonlyMap<string, Link>
  /** Where the broker and the database are, past all links: for looking on. */
  readonly brokers: string
  readonly database: string
  /** Where the database's files are. */
  readonly mongoDir: string
  /** Where the gateways serve REST. */
  urls(): readonly string[]
  /** Whose address it is that stands in the database as an owner's. */
  memberAt(address: string): MemberName | undefined
  /** How the operator's command line reaches it. */
  readonly operator: NodeJS.ProcessEnv
}

export interface SystemOptions {
  /** The checkout whose `deploy/` is started. */
  readonly root: string
  /** Where data and logs go. */
  readonly folder: string
  /** What executors run in the place of `deploy/src/serve.ts executor`. */
  readonly executorEntry?: string
  /** The processes that there are. */
  readonly members?: readonly MemberName[]
  /** How long each serves on when it is told to stop; 0 where it is not set. */
  readonly drainSeconds?: number
  /** How long an owner may be silent, in seconds: short where it is left out, for storms kill owners again and again. */
  readonly ownerLeaseS?: number
  /** How many runs each executor has at once; 2 where it is not set. */
  readonly executorSlots?: number
}

/** Resolves when every process serves. */
export async function startSystem(options: SystemOptions): Promise<System> {
  const { root, folder, executorEntry, members: names = usualMembers } = options
  const { drainSeconds = 0, ownerLeaseS = 5, executorSlots = 2 } = options
  mkdirSync(folder, { recursive: true })
  await using parts = new AsyncDisposableStack()
  const links = new Map<string, Link>()
  for (const name of linksOf(names)) links.set(name, parts.use(await createLink()))
  const link = (name: string) => links.get(name) as Link

  const brokerPort = await freePort()
  const portOf: Record<string, number> = {}
  for (const name of names) portOf[name] = await freePort()

  const mongoDir = join(folder, 'mongo')
  const [kafka, mongo] = await Promise.all([
    startBroker(join(folder, 'kafka'), brokerPort, links),
    startMongo({ dataDir: mongoDir }),
  ])
  parts.use(kafka)
  parts.use(mongo)
  for (const [name, each] of links) {
    const to = name.split('>')[1] as string
    if (to === 'mongo') each.leadTo(mongo.address)
    else if (to !== 'kafka') each.leadTo(`127.0.0.1:${portOf[to]}`)
  }

  const secret = `${newKey('live')}${newKey('live')}`
  const key = newKey('live')
  const testKey = newKey('test')
  const credentials = await credentialsOf(root, secret)
  const url = (name: string) => `http://${link(name).address}`
  const shared = {
    MILLHAND_LOG_LEVEL: 'info',
    MILLHAND_MODELS_DIR: join(root, 'test/fixtures/models'),
    MILLHAND_KAFKA_PARTITIONS: '3',
    MILLHAND_DRAIN_SECONDS: String(drainSeconds),
  }
  const there = <T extends MemberName>(all: readonly T[]) => all.filter(name => names.includes(name))
  const urlsOf = (from: string, all: readonly MemberName[]) =>
    there(all)
      .map(to => url(`${from}>${to}`))
      .join(',')
  /** Where the others find it: another compute by a link, webhooks not at all. */
  const advertised = (name: MemberName) => {
    const other = there(computes).find(other => other !== name)
    return other === undefined || !name.startsWith('compute')
      ? `http://127.0.0.1:${portOf[name]}`
      : url(`${other}>${name}`)
  }
  const kafkaOf = (from: string) => link(`${from}>kafka`).address
  const mongoOf = (from: string) => `mongodb://${link(`${from}>mongo`).address}/millhand`

  const special: Partial<Record<ServiceName, Record<string, string>>> = {
    identity: { MILLHAND_BOOTSTRAP_KEY: key, MILLHAND_BOOTSTRAP_TEST_KEY: testKey },
    webhook: { MILLHAND_WEBHOOK_ALLOW: '127.0.0.1/32' },
    executor: {
      MILLHAND_GRPC_ADDR: '127.0.0.1:0',
      MILLHAND_EXECUTOR_SLOTS: String(executorSlots),
      MILLHAND_MODEL_THREADS: '1',
    },
  }
  const environment = (name: MemberName): Record<string, string> => {
    const service = serviceOf(name)
    const { owned, database } = services[service]
    return {
      ...shared,
      ...credentials.get(service),
      [service === 'gateway' ? 'MILLHAND_HTTP_ADDR' : 'MILLHAND_GRPC_ADDR']: `127.0.0.1:${portOf[name]}`,
      ...Object.fromEntries(
        calleesOf(service).map(callee => [urlVariable(callee), urlsOf(name, replicas[callee]) || NOWHERE]),
      ),
      ...(owned && { MILLHAND_OWNER_LEASE_S: String(ownerLeaseS), MILLHAND_ADVERTISE_URL: advertised(name) }),
      ...(database && { MILLHAND_MONGO_URL: mongoOf(name) }),
      ...(usesKafka(service) && { MILLHAND_KAFKA_BROKERS: kafkaOf(name) }),
      ...special[service],
    }
  }
  const members = new Map<MemberName, Member>()
  for (const name of names) {
    const service = serviceOf(name)
    const own = service === 'executor' && executorEntry !== undefined
    const words = own ? [executorEntry] : ['deploy/src/serve.ts', service]
    const member = createMember({ name, words, env: environment(name), root, folder })
    members.set(name, member)
    parts.defer(() => member.kill())
  }
  // All at once: each waits for what it needs.
  await Promise.all([...members.values()].map(member => member.start()))

  const all = parts.move()
  return {
    key,
    testKey,
    members,
    kafka,
    mongo,
    links,
    brokers: `127.0.0.1:${brokerPort}`,
    database: mongo.url('millhand'),
    mongoDir,
    urls: () => there(gateways).map(name => `http://127.0.0.1:${portOf[name]}`),
    memberAt: address => there([...computes, ...webhooks]).find(name => address === advertised(name)),
    operator: {
      ...credentials.get('operator'),
      MILLHAND_IDENTITY_URL: `http://127.0.0.1:${portOf.identity}`,
      MILLHAND_BILLING_URL: `http://127.0.0.1:${portOf.billing}`,
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

/** Where a service would be that is not among the members. */
const NOWHERE = 'http://127.0.0.1:1'

/** A broker tells its clients where it is, once for each listener: so each of them has one, behind its own link. */
async function startBroker(dataDir: string, port: number, links: ReadonlyMap<string, Link>): Promise<Kafka> {
  const link = (name: string) => links.get(name) as Link
  const clients = [...links.keys()].filter(name => name.endsWith('>kafka'))
  const controllerPort = await freePort()
  const ports: number[] = []
  for (const _ of clients) ports.push(await freePort())
  const names = clients.map((_, at) => `CLIENT_${at}`)
  const listeners = names.map((name, at) => `${name}://127.0.0.1:${ports[at]}`)
  const advertised = names.map((name, at) => `${name}://${link(clients[at] as string).address}`)
  const kafka = await startKafka({
    dataDir,
    properties: [
      `listeners=PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort},${listeners}`,
      `advertised.listeners=PLAINTEXT://127.0.0.1:${port},${advertised}`,
      `controller.quorum.voters=1@127.0.0.1:${controllerPort}`,
      `listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,${names.map(name => `${name}:PLAINTEXT`)}`,
      'num.network.threads=1',
    ],
  })
  for (const [at, name] of clients.entries()) link(name).leadTo(`127.0.0.1:${ports[at]}`)
  return kafka
}

/** What each service shows to others and checks, as `pnpm serve credentials <service>` prints it. */
async function credentialsOf(
  root: string,
  secret: string,
): Promise<ReadonlyMap<string, Readonly<Record<string, string | undefined>>>> {
  // The command itself would load the whole product, once for each of them.
  const command = pathToFileURL(join(root, 'deploy/src/processes/credentials.ts')).href
  const { credentials, holders }: typeof import('../../../deploy/src/processes/credentials.ts') = await import(command)
  const env = { MILLHAND_SECRET_KEY: secret }
  return new Map(holders.map(holder => [holder, parseEnv(credentials([holder], env).lines)]))
}
