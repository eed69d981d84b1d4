/**
 * Checks the pages of a database file with SQLite's own `quick_check` or `integrity_check`, in a process of its own: the
 * check of a large table is one call that can't be interrupted, and a process can be killed.
 */
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

export interface IntegrityReport {
  /** In the order in which they were checked. */
  readonly tables: readonly { readonly table: string; readonly problems: readonly string[] }[]
  /** Why the check ended before it was through; undefined where it was not. */
  readonly unfinished: string | undefined
}

/** Ends early when the signal is aborted. */
export async function checkIntegrity(
  file: string,
  pragma: 'quick_check' | 'integrity_check',
  signal: AbortSignal,
): Promise<IntegrityReport> {
  const script = fileURLToPath(new URL('./integrity-check.ts', import.meta.url))
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, file, pragma], {
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  })
  const ended = new Promise<string | undefined>(resolve => {
    child.once('error', error => resolve(signal.aborted ? 'it took too long' : error.message))
    child.once('close', (code, by) => resolve(code === 0 ? undefined : `it ended with ${by ?? `code ${code}`}`))
  })
  const [out, err, end] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  const lines = out.split('\n').slice(0, -1)
  const tables = lines.map(line => JSON.parse(line) as IntegrityReport['tables'][number])
  const fault = /(database disk image is malformed|file is not a database)/.exec(err)?.[0]
  if (fault !== undefined)
    return { tables: [...tables, { table: 'the file', problems: [fault] }], unfinished: undefined }
  return { tables, unfinished: end }
}

/** All problems, each with its table. */
export const problemsOf = ({ tables }: IntegrityReport): string[] =>
  tables.flatMap(({ table, problems }) => problems.map(problem => `${table}: ${problem}`))
