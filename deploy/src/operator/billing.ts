/** `pnpm millhand billing …` */
import { userInfo } from 'node:os'
import { jsonWriter, parseId } from '@millhand/api'
import { BillingFamily } from '@millhand/api/gen/millhand/billing/v1/billing_pb.ts'
import { PostCreditResponseSchema } from '@millhand/api/gen/millhand/billing/v1/ledger_service_pb.ts'
import { type Command, type CommandInput, type CommandOutput, UsageError } from './command.ts'
import type { Deployment } from './deployment.ts'
import { exitCodes } from './help.ts'

const options = {
  reason: { value: '<text>', doc: 'Why. The account reads it on its bill.', required: true },
  key: { value: '<key>', doc: 'Anything that names it, such as a ticket: the same key does it once.', required: true },
  family: { value: 'compute|developer|workforce', doc: 'To whose lines it belongs; compute without it.' },
  by: { value: '<name>', doc: 'Who does it; the user of this machine without it.' },
} as const

export const billingCommands: readonly Command[] = [
  {
    name: 'billing credit',
    words: '<account> <dollars>',
    count: [2, 2],
    summary: 'Gives an account an amount, on its next invoice. Final invoices stay as they are.',
    options,
    run: (given, deployment) => post(given, deployment, 1),
  },
  {
    name: 'billing charge',
    words: '<account> <dollars>',
    count: [2, 2],
    summary: 'Charges an account an amount, on its next invoice. Final invoices stay as they are.',
    options,
    run: (given, deployment) => post(given, deployment, -1),
  },
  {
    name: 'billing verify',
    words: '',
    count: [0, 0],
    summary: 'Adds up the entries of accounts anew, and shows what differs in their ledgers and invoices.',
    options: {
      account: { value: '<account>', doc: 'Of one account; of all without it.' },
      month: { value: '<YYYY-MM>', doc: 'What is billed in one month; in all without it.' },
    },
    run: verify,
  },
]

const familyNumbers = new Map([
  ['compute', BillingFamily.COMPUTE],
  ['developer', BillingFamily.DEVELOPER],
  ['workforce', BillingFamily.WORKFORCE],
])
const write = jsonWriter(PostCreditResponseSchema)

async function post({ words, options }: CommandInput, deployment: Deployment, sign: 1 | -1): Promise<CommandOutput> {
  const [id = '', dollars = ''] = words
  const account = await accountOf(id, deployment)
  const { key = '', reason = '', by = userInfo().username } = options
  const family = familyNumbers.get(options.family ?? 'compute')
  if (!family) throw new UsageError('--family takes compute, developer or workforce.')
  const micros = BigInt(sign * microsOfDollars(dollars))
  const done = await deployment.ledgers.postCredit({ key, micros, family, reason, by }, deployment.as(account, 'live'))
  return {
    json: write(done),
    table: [
      ['CREDIT', 'AMOUNT', 'MONTH', 'BY', 'REASON'],
      [done.id, done.amount?.amount ?? '', done.month, done.by, done.reason],
    ],
  }
}

/** @throws UsageError */
function microsOfDollars(text: string): number {
  const [, whole, decimals = ''] = /^(\d{1,6})(?:\.(\d{1,6}))?$/.exec(text) ?? []
  const micros = Number(whole) * 1e6 + Number(decimals.padEnd(6, '0'))
  if (micros > 0) return micros
  throw new UsageError('<dollars> is an amount above zero with at most six decimals, for example 12.50.')
}

async function verify({ options }: CommandInput, deployment: Deployment): Promise<CommandOutput> {
  const { account, month } = options
  if (month !== undefined && !/^\d{4}-(0[1-9]|1[0-2])$/.test(month)) throw new UsageError('--month takes YYYY-MM.')
  const rows: string[][] = []
  const changed: { readonly account: string; readonly mode: string }[] = []
  let entries = 0n
  const accounts = account === undefined ? allAccounts(deployment) : [await accountOf(account, deployment)]
  for await (const id of accounts) {
    for (const mode of ['live', 'test'] as const) {
      const found = await deployment.ledgers.verifyLedger({ ...(month && { month }) }, deployment.as(id, mode))
      entries += found.entries
      for (const { month, about, expected, actual } of found.differences)
        rows.push([id, mode, month, about, expected, actual])
      if (found.changedMeanwhile) changed.push({ account: id, mode })
    }
  }
  const head = ['account', 'mode', 'month', 'about', 'expected', 'actual']
  const differences = rows.map(row => Object.fromEntries(head.map((name, at) => [name, row[at]])))
  return {
    json: JSON.stringify({ entries: Number(entries), differences, changed_meanwhile: changed }),
    table: [head.map(name => name.toUpperCase()), ...rows],
    note: [
      `${entries} entries, ${rows.length === 0 ? 'nothing differs' : `${rows.length} differences`}`,
      ...changed.map(({ account, mode }) => `${account} (${mode}) changed meanwhile: verify it again`),
    ].join('; '),
    exitCode: rows.length > 0 ? exitCodes.refused : changed.length > 0 ? exitCodes.undecided : exitCodes.done,
  }
}

async function* allAccounts({ accounts }: Deployment): AsyncGenerator<string> {
  for (let after = ''; ; ) {
    const page = await accounts.listAccounts({ limit: 1_000, after })
    yield* page.accounts.map(({ id }) => id)
    after = page.accounts.at(-1)?.id ?? ''
    if (!page.hasMore) return
  }
}

/** Fails with `not_found` where there is none. @throws UsageError */
async function accountOf(text: string, { accounts }: Deployment): Promise<string> {
  const id = parseId('acct', text)
  if (id === undefined) throw new UsageError('<account> is the id of an account: `accounts list` has them.')
  return (await accounts.getAccount({ id })).id
}
