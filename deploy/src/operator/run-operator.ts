/** One command of the operator's, from its words to its exit code. */
import { parseArgs } from 'node:util'
import { Code, ConnectError } from '@connectrpc/connect'
import { codeOf } from '@millhand/api'
import { ConfigurationError } from '@millhand/process'
import { UnusableFile } from '../unusable-file.ts'
import { accountCommands } from './accounts.ts'
import { billingCommands } from './billing.ts'
import { type Command, type CommandInput, type CommandOutput, type FolderCommand, UsageError } from './command.ts'
import { consumerCommands } from './consumers.ts'
import { NotReached, openDeployment, operatorVariables } from './deployment.ts'
import { exitCodes, help, usage } from './help.ts'
import { keyCommands } from './keys.ts'
import { planCommands } from './plans.ts'
import { verifyCommand } from './verify.ts'

const commands: readonly (Command | FolderCommand)[] = [
  ...accountCommands,
  ...keyCommands,
  ...consumerCommands,
  ...planCommands,
  ...billingCommands,
  verifyCommand,
]

/** Takes text for standard output and for standard error. */
export interface Terminal {
  out(text: string): unknown
  err(text: string): unknown
}

/** Never rejects: what goes wrong is said, and the exit code says of which kind it is. */
export async function runOperator(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  { out, err }: Terminal,
): Promise<number> {
  const command = commands.find(({ name }) => name === words.slice(0, name.split(' ').length).join(' '))
  if (command === undefined) {
    const isAsked = words.length === 0 || words.includes('--help')
    ;(isAsked ? out : err)(
      isAsked ? usage(commands) : `There is no “${words.slice(0, 2).join(' ')}”.\n\n${usage(commands)}`,
    )
    return isAsked && words.length > 0 ? exitCodes.done : exitCodes.wrong
  }
  const isJson = words.includes('--json')
  try {
    const { given, isHelp } = read(command, words.slice(command.name.split(' ').length))
    if (isHelp) {
      out(help(command))
      return exitCodes.done
    }
    const { json, table, secret, note, exitCode = exitCodes.done } = await run(command, given, env)
    if (isJson) out(`${json}\n`)
    else {
      out(tableText(table))
      if (secret !== undefined) out(`\n${secret}\n`)
      if (note !== undefined) err(`\n${note}\n`)
    }
    return exitCode
  } catch (error) {
    const { exitCode, code, message } = faultOf(error)
    err(isJson ? `${JSON.stringify({ code, detail: message })}\n` : `${message}\n`)
    if (error instanceof UsageError && !isJson) err(`\n${help(command)}`)
    return exitCode
  }
}

async function run(
  command: Command | FolderCommand,
  given: CommandInput,
  env: NodeJS.ProcessEnv,
): Promise<CommandOutput> {
  if ('at' in command) return await command.run(given, operatorVariables(env).MILLHAND_DATA_DIR)
  const deployment = await openDeployment(env)
  try {
    return await command.run(given, deployment)
  } finally {
    deployment.close()
  }
}

/** @throws UsageError */
function read(
  command: Command | FolderCommand,
  words: readonly string[],
): { readonly given: CommandInput; readonly isHelp: boolean } {
  const options = command.options ?? {}
  const known = Object.fromEntries(Object.keys(options).map(name => [name, { type: 'string' }] as const))
  const { values, positionals } = parsed(words, known)
  const isHelp = values.help === true
  const given = { words: positionals, options: values as CommandInput['options'] }
  if (isHelp) return { given, isHelp }
  const [least, most] = command.count
  if (positionals.length < least) throw new UsageError(`Something is missing: ${command.words}`)
  if (positionals.length > most) throw new UsageError(`“${positionals[most]}” is too much.`)
  for (const [name, { required, value }] of Object.entries(options)) {
    if (required && !given.options[name]) throw new UsageError(`--${name} ${value} has to be there.`)
  }
  return { given, isHelp }
}

/** @throws UsageError for options that there are not, and for those without a value */
function parsed(words: readonly string[], known: Readonly<Record<string, { readonly type: 'string' }>>) {
  const flags = { json: { type: 'boolean' }, help: { type: 'boolean' } } as const
  try {
    return parseArgs({ args: [...words], options: { ...known, ...flags }, allowPositionals: true, strict: true })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

interface OperatorFault {
  readonly exitCode: number
  /** One of the catalogue, or `usage`, `configuration`, `credentials_refused`, `not_reached`. */
  readonly code: string
  readonly message: string
}

function faultOf(error: unknown): OperatorFault {
  if (error instanceof UsageError) return { exitCode: exitCodes.wrong, code: 'usage', message: error.message }
  if (error instanceof ConfigurationError) {
    return { exitCode: exitCodes.wrong, code: 'configuration', message: error.message }
  }
  if (error instanceof UnusableFile) {
    const message = `${error.message}\nMILLHAND_DATA_DIR must be the folder of a server that has started, or MILLHAND_SERVICE_TOKEN be set.`
    return { exitCode: exitCodes.wrong, code: 'configuration', message }
  }
  if (error instanceof NotReached) {
    const message = `No deployment answers. ${error.message}\nMILLHAND_IDENTITY_URL or MILLHAND_GRPC_ADDR says where it is.`
    return { exitCode: exitCodes.notReached, code: 'not_reached', message }
  }
  const { code, rawMessage } = ConnectError.from(error)
  switch (code) {
    case Code.Unauthenticated:
      return {
        exitCode: exitCodes.wrong,
        code: 'credentials_refused',
        message: `${rawMessage}\nThe credentials are of another deployment: MILLHAND_DATA_DIR, or MILLHAND_SERVICE_TOKEN and MILLHAND_SECRET_KEY, must be this one's.`,
      }
    case Code.Unavailable:
    case Code.DeadlineExceeded:
      return { exitCode: exitCodes.notReached, code: codeOf(error), message: rawMessage }
    case Code.Unimplemented: {
      const message = `No such method at this address (${rawMessage}).\nMILLHAND_IDENTITY_URL and MILLHAND_BILLING_URL say where identity and billing are.`
      return { exitCode: exitCodes.wrong, code: 'configuration', message }
    }
    default:
      return { exitCode: exitCodes.refused, code: codeOf(error), message: rawMessage }
  }
}

/** Rows as text, each column as wide as its widest value. What would move a cursor is shown as it is in JSON. */
function tableText(rows: readonly (readonly string[])[]): string {
  const shown = rows.map(row => row.map(printable))
  const widths = shown.reduce<number[]>((most, row) => row.map((cell, at) => Math.max(most[at] ?? 0, cell.length)), [])
  return shown
    .map(row =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .map(line => `${line}\n`)
    .join('')
}

/** A name may hold anything. */
const printable = (text: string) => (/^[^\p{Cc}\p{Cf}]*$/u.test(text) ? text : JSON.stringify(text))
