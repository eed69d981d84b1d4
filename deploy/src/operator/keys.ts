/** `pnpm millhand keys … --account <account>` */
import { create } from '@bufbuild/protobuf'
import type { CallOptions } from '@connectrpc/connect'
import { codeOf, enumWords, formatTimestamp, jsonWriter, parseId } from '@millhand/api'
import {
  type ApiKey,
  ApiKeySchema,
  ListApiKeysResponseSchema,
} from '@millhand/api/gen/millhand/identity/v1/api_key_pb.ts'
import { ModeSchema } from '@millhand/api/gen/millhand/type/v1/mode_pb.ts'
import { type Command, type CommandInput, type CommandOutput, pointInTime, UsageError, wholeNumber } from './command.ts'
import type { Deployment, Mode } from './deployment.ts'

const account = { value: '<account>', doc: 'Whose keys.', required: true } as const

export const keyCommands: readonly Command[] = [
  {
    name: 'keys create',
    words: '<name>',
    count: [1, 1],
    summary: 'Makes a key, and shows it once.',
    options: {
      account,
      mode: { value: 'live|test', doc: 'Real objects or the sandbox; live without it.' },
      scopes: { value: '<scope>,…', doc: 'What it may do, for example tasks:read,tasks:write; everything without it.' },
      expires: { value: '<time>', doc: 'When it ends, for example 2027-01-01T00:00:00Z; never without it.' },
    },
    async run({ words: [name = ''], options }, deployment) {
      const [mode = 'live'] = modesOf(options)
      const scopes = (options.scopes ?? '*').split(',').map(scope => scope.trim())
      const expiresAt = pointInTime(options, 'expires')
      const request = { name, scopes, ...(expiresAt && { expiresAt }) }
      const account = await accountOf(options, deployment)
      return made(await deployment.keys.createApiKey(request, deployment.as(account, mode)))
    },
  },
  {
    name: 'keys list',
    words: '',
    count: [0, 0],
    summary: 'Lists the keys of an account, revoked and expired ones too, the newest first.',
    options: { account, mode: { value: 'live|test', doc: 'Those of one mode; of both without it.' } },
    async run({ options }, deployment) {
      const modes = modesOf(options)
      const account = await accountOf(options, deployment)
      const data: ApiKey[] = []
      for (const mode of modes) data.push(...(await keysOf(deployment, account, mode)))
      const list = create(ListApiKeysResponseSchema, { data })
      return { json: writeList(list), table: [head, ...data.map(row)] }
    },
  },
  {
    name: 'keys show',
    words: '<key>',
    count: [1, 1],
    summary: 'Shows what is known of a key: not the key itself.',
    options: { account },
    run: async ({ words: [id = ''], options }, deployment) =>
      shown(await inItsMode(options, deployment, call => deployment.keys.getApiKey({ id }, call))),
  },
  {
    name: 'keys rotate',
    words: '<key>',
    count: [1, 1],
    summary: 'Makes a key like another, and shows it once. The old one works on for a while.',
    options: {
      account,
      overlap: { value: '<seconds>', doc: 'For how long; up to a week. A day without it, 0 ends it at once.' },
    },
    async run({ words: [id = ''], options }, deployment) {
      const overlapSeconds = wholeNumber(options, 'overlap')
      const request = { id, ...(overlapSeconds !== undefined && { overlapSeconds }) }
      return made(await inItsMode(options, deployment, call => deployment.keys.rotateApiKey(request, call)))
    },
  },
  {
    name: 'keys revoke',
    words: '<key>',
    count: [1, 1],
    summary: 'Ends a key: within a second it works nowhere.',
    options: { account },
    run: async ({ words: [id = ''], options }, deployment) =>
      shown(await inItsMode(options, deployment, call => deployment.keys.revokeApiKey({ id }, call))),
  },
]

const modes = ['live', 'test'] as const

/** Those that are asked for. @throws UsageError */
function modesOf({ mode }: CommandInput['options']): readonly Mode[] {
  const known = modes.filter(each => mode === undefined || each === mode)
  if (known.length === 0) throw new UsageError('--mode takes live or test.')
  return known
}

/** The account whose keys are meant. Fails with `not_found` where there is none. @throws UsageError */
async function accountOf({ account = '' }: CommandInput['options'], { accounts }: Deployment): Promise<string> {
  const id = parseId('acct', account)
  if (id === undefined) throw new UsageError('--account takes the id of an account: `accounts list` has them.')
  return (await accounts.getAccount({ id })).id
}

async function keysOf({ keys, as }: Deployment, account: string, mode: Mode): Promise<ApiKey[]> {
  const found: ApiKey[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await keys.listApiKeys({ limit: 100, ...(cursor && { cursor }) }, as(account, mode))
    found.push(...page.data)
    cursor = page.nextCursor
    if (cursor === undefined) return found
  }
}

/** A key's id does not say which mode it has: where there is none that is live, it is looked for in the sandbox. */
async function inItsMode(
  options: CommandInput['options'],
  deployment: Deployment,
  ask: (call: CallOptions) => Promise<ApiKey>,
): Promise<ApiKey> {
  const account = await accountOf(options, deployment)
  try {
    return await ask(deployment.as(account, 'live'))
  } catch (error) {
    if (codeOf(error) !== 'not_found') throw error
    return await ask(deployment.as(account, 'test'))
  }
}

const shown = (key: ApiKey): CommandOutput => ({ json: write(key), table: [head, row(key)] })

const made = (key: ApiKey): CommandOutput => ({
  ...shown(key),
  secret: key.key,
  note: 'The key is shown this once: nobody can read it again.',
})

const write = jsonWriter(ApiKeySchema)
const writeList = jsonWriter(ListApiKeysResponseSchema)
const modeWords = enumWords(ModeSchema)

const head = ['KEY', 'NAME', 'MODE', 'PREFIX', 'SCOPES', 'STATE', 'LAST USED', 'CREATED']

const row = (key: ApiKey) => [
  key.id,
  key.name,
  modeWords.get(key.mode) ?? '',
  key.prefix,
  key.scopes.join(','),
  key.revokedAt ? 'revoked' : key.expiresAt ? `until ${formatTimestamp(key.expiresAt)}` : 'active',
  key.lastUsedAt ? formatTimestamp(key.lastUsedAt) : 'never',
  key.createdAt ? formatTimestamp(key.createdAt) : '',
]
