/** `pnpm millhand`, as an operator calls it on a running deployment. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { runOperator } from '@millhand/deploy/operator'
import type { Answer, Wire } from './http.ts'
import { newKey } from './keys.ts'
import { keyOf, newAccount, operate, operatorEnv } from './operator.ts'
import { repository } from './server.ts'
import { assertProblem } from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'

let server: Visited
before(async () => {
  server = await visitServer()
})
after(() => server.leave())

const program = join(repository, 'deploy/src/operator/millhand.ts')

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** The program, with these variables beside those that lead to the server. */
async function millhand(words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const [out, err]: [string[], string[]] = [[], []]
  const terminal = { out: (text: string) => out.push(text), err: (text: string) => err.push(text) }
  const code = await runOperator(words, { ...operatorEnv(server), ...env }, terminal)
  return { code, stdout: out.join(''), stderr: err.join('') }
}

/** The same as a process of its own. */
async function spawned(words: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, ...words], {
    env: { PATH: process.env.PATH, ...operatorEnv(server) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', text => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    stderr += text
  })
  const [code] = await once(child, 'close')
  return { code, stdout, stderr }
}

const listTasks = (key: string) =>
  server.request('GET', '/v1/tasks?limit=1', { headers: { authorization: `Bearer ${key}` } })

/** What a call with the key is answered, once it is answered so: within a second it is. */
async function until(key: string, status: number): Promise<Answer> {
  for (const end = performance.now() + 300_000; ; ) {
    const answer = await listTasks(key)
    if (answer.status === status) return answer
    assert.ok(performance.now() < end, `${answer.status}, not ${status}: ${answer.text}`)
    await pause(20)
  }
}

test('an account is made, given a key that works, stopped and let go on', async () => {
  const account = await operate(server, 'accounts', 'create', 'Acme', 'compute=growth')
  assert.deepEqual(
    [account.name, account.status, account.plans],
    ['Acme', 'active', { compute: 'growth', developer: 'free', workforce: 'starter' }],
  )
  assert.deepEqual(await operate(server, 'accounts', 'show', account.id), account)
  const listed = await operate(server, 'accounts', 'list')
  assert.ok(listed.accounts.some(({ id }: { id: string }) => id === account.id))

  const { code, stdout, stderr } = await spawned(['keys', 'create', 'ci', '--account', account.id])
  assert.equal(code, 0, stderr)
  const [key = ''] = /^mh_live_\w{36}$/m.exec(stdout) ?? []
  assert.ok(key, stdout)
  assert.ok(!stderr.includes(key))
  const answer = await until(key, 200)
  assert.match(String(answer.headers['ratelimit-policy']), /"compute";q=500;w=60/)

  await operate(server, 'accounts', 'suspend', account.id)
  assertProblem(await until(key, 403), 403, 'account_suspended')
  await operate(server, 'accounts', 'resume', account.id)
  await until(key, 200)
  assert.equal((await operate(server, 'plans', 'set', account.id, 'compute=starter')).plans.compute, 'starter')
  assert.equal((await operate(server, 'accounts', 'show', account.id)).plans.developer, 'free')
})

test('a key is listed without what it is, rotated and revoked, in either mode', async () => {
  const { id: account } = await operate(server, 'accounts', 'create', 'keys')
  for (const mode of ['live', 'test']) {
    const words = ['--account', account]
    const made = await operate(server, 'keys', 'create', 'one', ...words, '--mode', mode, '--scopes', 'tasks:read')
    await until(made.key, 200)
    const next = await operate(server, 'keys', 'rotate', made.id, ...words, '--overlap', '0')
    assert.deepEqual([next.mode, next.scopes], [mode, ['tasks:read']])
    assertProblem(await until(made.key, 401), 401, 'revoked_credentials')
    await until(next.key, 200)
    assert.ok((await operate(server, 'keys', 'revoke', next.id, ...words)).revoked_at)
    assertProblem(await until(next.key, 401), 401, 'revoked_credentials')
    assert.equal((await operate(server, 'keys', 'show', next.id, ...words)).prefix, next.prefix)
  }
  const { data } = await operate(server, 'keys', 'list', '--account', account)
  assert.equal(data.length, 4)
  for (const each of data) assert.equal(each.key, undefined)
  const table = await millhand(['keys', 'list', '--account', account])
  assert.match(table.stdout, /^KEY +NAME +MODE +PREFIX/)
  assert.equal(table.stdout.trimEnd().split('\n').length, 5)
})

test('a key that ends by itself says when', async () => {
  const { id: account } = await operate(server, 'accounts', 'create', 'ends')
  const made = await operate(server, 'keys', 'create', 'x', '--account', account, '--expires', '2099-01-01T00:00:00Z')
  assert.equal(made.expires_at, '2099-01-01T00:00:00.000Z')
})

test('the plans of the plan file are listed', async () => {
  const { plans } = await operate(server, 'plans', 'list')
  assert.deepEqual(
    plans.find(({ family, name }: Record<string, string>) => family === 'compute' && name === 'starter'),
    { family: 'compute', name: 'starter', requests_per_minute: 100 },
  )
})

test('each command has a help', async () => {
  const all = await millhand(['--help'])
  assert.equal(all.code, 0)
  const commands = [...all.stdout.matchAll(/^pnpm millhand (\w+ \w+)/gm)].map(([, name = '']) => name)
  assert.equal(commands.length, 18)
  const one = await millhand(['keys', 'create', '--help'])
  assert.equal(one.code, 0)
  assert.match(one.stdout, /--expires <time>/)
})

test('credits and charges are on the bill, once, and the ledger is verified', async () => {
  const account = await newAccount(server, 'credited', { developer: 'free' })
  const key = await keyOf(server, account)
  const words = ['--reason', 'Outage of 3 November', '--key', 'ticket-4711']
  const credit = await operate(server, 'billing', 'credit', account, '12.5', ...words)
  assert.deepEqual([credit.amount.amount, credit.reason], ['-12.500000', 'Outage of 3 November'])
  assert.deepEqual(await operate(server, 'billing', 'credit', account, '12.5', ...words), credit)
  await operate(server, 'billing', 'charge', account, '0.25', '--reason', 'Setup', '--key', 'setup', '--by', 'ann')
  const other = await millhand(['billing', 'credit', account, '13', ...words])
  assert.equal(other.code, 1)
  assert.match(other.stderr, /another credit/)
  for (const amount of ['0', '-1', '1.2345678', 'x'])
    assert.equal((await millhand(['billing', 'credit', account, ...words, '--', amount])).code, 2, amount)

  // It is of the month that closes next.
  const headers = { authorization: `Bearer ${key}` }
  const { body: bill } = await server.request('GET', '/v1/billing', { headers })
  const [open] = bill.invoices
  const { lines } = open ? (await server.request('GET', `/v1/billing/invoices/${open.id}`, { headers })).body : bill
  const found = lines.filter((line: Wire) => line.kind === 'credit')
  assert.deepEqual(found.map((line: Wire) => [line.description, line.amount.amount]).sort(), [
    ['Outage of 3 November', '-12.500000'],
    ['Setup', '0.250000'],
  ])
  const verified = await operate(server, 'billing', 'verify', '--account', account)
  assert.deepEqual(verified, { entries: 2, differences: [], changed_meanwhile: [] })
  assert.equal((await millhand(['billing', 'verify', '--account', account, '--month', '2026-13'])).code, 2)
})

test('what goes wrong is said on standard error, in words or JSON, and told apart by the exit code', async () => {
  const unknown = 'acct_01kaje5z1cf6tvnyxkkhbm3v8h'
  const another = { MILLHAND_SECRET_KEY: 'of another deployment, of which nobody here knows' }
  const cases: [code: number, says: RegExp, words: string[], env?: NodeJS.ProcessEnv][] = [
    [1, /There is no account/, ['accounts', 'show', unknown]],
    [1, /"code":"not_found"/, ['accounts', 'show', unknown, '--json']],
    [1, /There is no account/, ['keys', 'list', '--account', unknown]],
    [1, /"code":"not_found"/, ['keys', 'revoke', 'key_x', '--account', unknown, '--json']],
    [1, /one of starter/, ['accounts', 'create', 'x', 'compute=best']],
    [2, /^Accounts, keys, internal consumers, plans and ledgers/, []],
    [2, /There is no “accounts remove”/, ['accounts', 'remove']],
    [2, /--account <account> has to be there/, ['keys', 'create', 'x']],
    [2, /is no plan of a family/, ['plans', 'set', unknown, 'starter']],
    [2, /--account takes the id of an account/, ['keys', 'list', '--account', 'Acme']],
    [2, /"code":"usage"/, ['keys', 'create', 'x', '--account', 'Acme', '--json']],
    [2, /Unknown option/, ['accounts', 'list', '--all']],
    [2, /another deployment/, ['plans', 'list'], another],
    [2, /"code":"credentials_refused"/, ['plans', 'list', '--json'], another],
    [2, /secret-key can't be read/, ['plans', 'list'], { MILLHAND_DATA_DIR: repository }],
    [2, /MILLHAND_SECRET_KEY has to be set/, ['plans', 'list'], { MILLHAND_SERVICE_TOKEN: 'mhs_x' }],
    [3, /No deployment answers/, ['plans', 'list'], { MILLHAND_IDENTITY_URL: 'http://127.0.0.1:1' }],
  ]
  for (const [code, says, words, env] of cases) {
    const ended = await millhand(words, env)
    const where = `${words.join(' ')}: ${JSON.stringify(ended)}`
    assert.equal(ended.code, code, where)
    assert.match(words.length === 0 ? ended.stdout : ended.stderr, says, where)
    if (words.length > 0) assert.equal(ended.stdout, '', where)
  }
})

test('no key is in what the server writes, nor one that was given in a wrong place', async () => {
  const { id: account } = await operate(server, 'accounts', 'create', 'secrets')
  const { key } = await operate(server, 'keys', 'create', 'x', '--account', account)
  const strange = newKey('live')
  await millhand(['keys', 'revoke', strange, '--account', account])
  const written = await server.logs()
  for (const secret of [key, strange]) assert.ok(!written.includes(secret))
})
