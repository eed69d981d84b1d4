/** Accounts and keys, made as an operator makes them. */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { runOperator } from '@millhand/deploy/operator'
import type { Wire } from './http.ts'
import type { Served } from './server.ts'

/** What an operator has to know of a server. */
export type Operated = Pick<Served, 'dataDir' | 'identity' | 'billing'>

/** How the command line finds a server of these tests. */
export const operatorEnv = ({ dataDir, identity, billing }: Operated): NodeJS.ProcessEnv => ({
  MILLHAND_DATA_DIR: dataDir,
  MILLHAND_IDENTITY_URL: identity,
  ...(billing !== undefined && { MILLHAND_BILLING_URL: billing }),
})

/** On a machine that starts many processes at once a server may not answer for a while. */
const PATIENCE_MS = 180_000
/** What a command ends with that nobody answered. */
const NOT_REACHED = 3

/** What a command of `pnpm millhand` answers; it has to be done. */
export async function operate(server: Operated, ...words: readonly string[]): Promise<Wire> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const [out, err]: [string[], string[]] = [[], []]
    const terminal = { out: (text: string) => out.push(text), err: (text: string) => err.push(text) }
    const code = await runOperator([...words, '--json'], operatorEnv(server), terminal)
    if (code === 0) return JSON.parse(out.join(''))
    const isOver = code !== NOT_REACHED || performance.now() > deadline
    assert.ok(!isOver, `${words.join(' ')}: ${code} ${err.join('')}`)
    await pause(500)
  }
}

/** A new account with these plans, and without limits in the other families; its id. */
export async function newAccount(
  server: Operated,
  name: string,
  plans: Readonly<Record<string, string>> = {},
): Promise<string> {
  const words = ['compute', 'developer', 'workforce'].map(family => `${family}=${plans[family] ?? 'enterprise'}`)
  return (await operate(server, 'accounts', 'create', name, ...words)).id
}

/** A new key of an account; the key itself. */
export async function keyOf(
  server: Operated,
  account: string,
  { mode = 'live', scopes = ['*'] }: { readonly mode?: 'live' | 'test'; readonly scopes?: readonly string[] } = {},
): Promise<string> {
  const words = ['keys', 'create', 'of a test', '--account', account, '--mode', mode, '--scopes', scopes.join(',')]
  return (await operate(server, ...words)).key
}
