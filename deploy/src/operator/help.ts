/** What the command line says of itself. */
import type { Command, FolderCommand } from './command.ts'

type Documented = Omit<Command, 'run'> | Omit<FolderCommand, 'run'>

/** Of all commands. */
export function usage(commands: readonly Documented[]): string {
  return [
    'Accounts, keys, internal consumers, plans and ledgers of a running deployment, and its store, for its operator.',
    '',
    ...commands.map(written),
    '',
    'Each takes --json, for programs, and --help.',
    '',
    '`verify` works on MILLHAND_DATA_DIR; the others on a running deployment.',
    'Where: MILLHAND_IDENTITY_URL (`billing`: MILLHAND_BILLING_URL), else MILLHAND_GRPC_ADDR, else 127.0.0.1:8081.',
    'As whom: the credentials of `pnpm serve credentials operator` (MILLHAND_SERVICE_TOKEN, MILLHAND_SECRET_KEY),',
    'else those that the secret of MILLHAND_DATA_DIR makes.',
    '',
    `Exit codes: ${exitCodes.done} done, ${exitCodes.refused} refused or not sound, ${exitCodes.wrong} wrong words or settings, ${exitCodes.notReached} not reached or not answered, ${exitCodes.undecided} changed meanwhile.`,
    '',
  ].join('\n')
}

/** Of one. */
export function help(command: Documented): string {
  const { summary, options = {} } = command
  const rows = [
    ...Object.entries(options).map(([option, { value, doc, required }]) => [
      `--${option} ${value}`,
      required ? `${doc} It has to be there.` : doc,
    ]),
    ['--json', 'Answers with JSON.'],
  ]
  const width = Math.max(...rows.map(([option = '']) => option.length))
  return [
    written(command),
    '',
    summary,
    '',
    ...rows.map(([option = '', doc]) => `  ${option.padEnd(width)}  ${doc}`),
    '',
  ].join('\n')
}

/** As it is written, with the options that have to be there. */
function written({ name, words, options = {} }: Documented): string {
  const required = Object.entries(options).filter(([, option]) => option.required)
  return ['pnpm millhand', name, words, ...required.map(([option, { value }]) => `--${option} ${value}`)]
    .filter(Boolean)
    .join(' ')
}

/** What a command ends with. */
export const exitCodes = {
  done: 0,
  /** The deployment said no. */
  refused: 1,
  /** Words or settings that can't be meant: nothing was asked. */
  wrong: 2,
  /** Nobody answered: it may be done or not where that came in the middle. */
  notReached: 3,
  /** What was looked at changed meanwhile: a later look may tell. */
  undecided: 4,
} as const
