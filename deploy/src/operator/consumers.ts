/** `pnpm millhand consumers …` */
import { create, getOption, hasOption } from '@bufbuild/protobuf'
import { formatTimestamp, jsonWriter } from '@millhand/api'
import {
  type Consumer,
  ConsumerSchema,
  ListConsumersResponseSchema,
} from '@millhand/api/gen/millhand/identity/v1/consumer_pb.ts'
import { access } from '@millhand/api/gen/millhand/type/v1/access_pb.ts'
import { publicServices } from '@millhand/gateway/public-services'
import { type Command, type CommandOutput, pointInTime, UsageError } from './command.ts'
import type { Deployment } from './deployment.ts'

export const consumerCommands: readonly Command[] = [
  {
    name: 'consumers create',
    words: '<name>',
    count: [1, 1],
    summary: 'Makes the credential of a program that calls services directly, by gRPC, and shows it once.',
    options: {
      methods: {
        value: '<method>,…',
        doc: 'What it may call: millhand.compute.v1.ComputeService/CreateTask, or …ComputeService/* for all.',
        required: true,
      },
      accounts: {
        value: '<account>,…',
        doc: 'For whom: acct_…, acct_…/test or acct_…/live for one mode, or all.',
        required: true,
      },
      expires: { value: '<time>', doc: 'When it ends, for example 2027-01-01T00:00:00Z; never without it.' },
    },
    async run({ words: [name = ''], options }, { consumers }) {
      const { methods = '', accounts = '' } = options
      const expiresAt = pointInTime(options, 'expires')
      const named = listOf(methods)
      const consumer = await consumers.createConsumer({
        name,
        methods: named,
        accounts: listOf(accounts).map(account => account.replace(/^all(?=\/|$)/, '*')),
        scopes: scopesOf(named),
        ...(expiresAt && { expiresAt }),
      })
      return {
        ...shown(consumer),
        secret: consumer.secret,
        note: 'The credential is shown this once: nobody can read it again.',
      }
    },
  },
  {
    name: 'consumers list',
    words: '',
    count: [0, 0],
    summary: 'Lists internal consumers, revoked and expired ones too, the oldest first.',
    async run(_, deployment) {
      const all = await allConsumers(deployment)
      const json = writeList(create(ListConsumersResponseSchema, { consumers: all }))
      return { json, table: [head, ...all.map(row)] }
    },
  },
  {
    name: 'consumers revoke',
    words: '<consumer>',
    count: [1, 1],
    summary: 'Ends a consumer: within seconds services refuse it, and end its streams.',
    run: async ({ words: [id = ''] }, { consumers }) => shown(await consumers.revokeConsumer({ id })),
  },
]

const listOf = (text: string): string[] => [...new Set(text.split(',').map(each => each.trim()))]

/** The scopes of methods. @throws UsageError for what is no method that a consumer can call */
function scopesOf(names: readonly string[]): string[] {
  const scopes = names.flatMap(name => {
    const found = callable.filter(method => name === nameOf(method) || name === `${method.parent.typeName}/*`)
    if (found.length === 0) throw noMethod(name)
    return found.map(method => getOption(method, access).scope)
  })
  return [...new Set(scopes)].sort()
}

/** Identity lets no consumer in: whoever makes keys could do more than its own credential. */
const callable = publicServices
  .filter(({ typeName }) => !typeName.startsWith('millhand.identity.'))
  .flatMap(service => [...service.methods])
  .filter(method => hasOption(method, access))

const nameOf = ({ parent, name }: (typeof callable)[number]) => `${parent.typeName}/${name}`

const noMethod = (name: string) => {
  const services = [...new Set(callable.map(({ parent }) => parent.typeName))]
  return new UsageError(
    `--methods: no method “${name}” can be given. Name <service>/<method> or <service>/* of ${services.join(', ')}.`,
  )
}

async function allConsumers({ consumers }: Deployment): Promise<Consumer[]> {
  const all: Consumer[] = []
  for (;;) {
    const page = await consumers.listConsumers({ limit: 1_000, after: all.at(-1)?.id ?? '' })
    all.push(...page.consumers)
    if (!page.hasMore) return all
  }
}

const shown = (consumer: Consumer): CommandOutput => ({ json: write(consumer), table: [head, row(consumer)] })

const write = jsonWriter(ConsumerSchema)
const writeList = jsonWriter(ListConsumersResponseSchema)

const head = ['CONSUMER', 'NAME', 'PREFIX', 'METHODS', 'ACCOUNTS', 'STATE', 'LAST USED', 'CREATED']

const row = (consumer: Consumer) => [
  consumer.id,
  consumer.name,
  consumer.prefix,
  consumer.methods.join(','),
  consumer.accounts.join(','),
  consumer.revokedAt ? 'revoked' : consumer.expiresAt ? `until ${formatTimestamp(consumer.expiresAt)}` : 'active',
  consumer.lastUsedAt ? formatTimestamp(consumer.lastUsedAt) : 'never',
  consumer.createdAt ? formatTimestamp(consumer.createdAt) : '',
]
