/** `pnpm millhand accounts …` */
import { enumWords, formatTimestamp, jsonWriter } from '@millhand/api'
import {
  type Account,
  AccountSchema,
  AccountStatus,
  AccountStatusSchema,
  ListAccountsResponseSchema,
} from '@millhand/api/gen/millhand/identity/v1/account_pb.ts'
import { type Command, type CommandOutput, wholeNumber } from './command.ts'
import { planArguments, plansOf } from './plan-arguments.ts'

export const accountCommands: readonly Command[] = [
  {
    name: 'accounts create',
    words: `<name> [${planArguments}]`,
    count: [1, 4],
    summary: 'Makes an account. A family that is left out gets the plan of new accounts.',
    run: async ({ words: [name = '', ...plans] }, { accounts }) =>
      shown(await accounts.createAccount({ name, plans: plansOf(plans) })),
  },
  {
    name: 'accounts list',
    words: '',
    count: [0, 0],
    summary: 'Lists accounts, the oldest first.',
    options: {
      limit: { value: '<n>', doc: 'How many at most: 1 to 1,000; 100 without it.' },
      after: { value: '<account>', doc: 'Goes on behind that account.' },
    },
    async run({ options }, { accounts }) {
      const limit = wholeNumber(options, 'limit')
      const list = await accounts.listAccounts({ ...(limit !== undefined && { limit }), after: options.after ?? '' })
      const last = list.accounts.at(-1)
      return {
        json: writeList(list),
        table: [head, ...list.accounts.map(row)],
        ...(list.hasMore && last && { note: `There are more: --after ${last.id}` }),
      }
    },
  },
  {
    name: 'accounts show',
    words: '<account>',
    count: [1, 1],
    summary: 'Shows an account.',
    run: async ({ words: [id = ''] }, { accounts }) => shown(await accounts.getAccount({ id })),
  },
  {
    name: 'accounts suspend',
    words: '<account>',
    count: [1, 1],
    summary: 'Stops an account: within a second its keys are refused everywhere. Nothing is removed.',
    run: async ({ words: [id = ''] }, { accounts }) =>
      shown(await accounts.updateAccount({ id, status: AccountStatus.SUSPENDED })),
  },
  {
    name: 'accounts resume',
    words: '<account>',
    count: [1, 1],
    summary: 'Lets an account that was stopped go on.',
    run: async ({ words: [id = ''] }, { accounts }) =>
      shown(await accounts.updateAccount({ id, status: AccountStatus.ACTIVE })),
  },
]

/** An account as JSON and as a table. */
export const shown = (account: Account): CommandOutput => ({ json: write(account), table: [head, row(account)] })

const write = jsonWriter(AccountSchema)
const writeList = jsonWriter(ListAccountsResponseSchema)
const statusWords = enumWords(AccountStatusSchema)

const head = ['ACCOUNT', 'NAME', 'STATUS', 'COMPUTE', 'DEVELOPER', 'WORKFORCE', 'CREATED']

const row = ({ id, name, status, plans, createdAt }: Account) => [
  id,
  name,
  statusWords.get(status) ?? '',
  plans?.compute ?? '',
  plans?.developer ?? '',
  plans?.workforce ?? '',
  createdAt ? formatTimestamp(createdAt) : '',
]
