/** What a command of the operator's is. */
import { create } from '@bufbuild/protobuf'
import { type Timestamp, TimestampSchema } from '@bufbuild/protobuf/wkt'
import { parseTimestamp } from '@millhand/api'
import type { Deployment } from './deployment.ts'

export interface Command {
  /** Behind `pnpm millhand`: `accounts create`. */
  readonly name: string
  /** What stands behind that, for the help: `<name> [compute=<plan> …]`. */
  readonly words: string
  /** How many words that may be. */
  readonly count: readonly [least: number, most: number]
  readonly summary: string
  readonly options?: Readonly<Record<string, Option>>
  /** @throws UsageError for words that can't be meant, before anything is done */
  run(given: CommandInput, deployment: Deployment): Promise<CommandOutput>
}

/** A command that works on the data folder, with no server. */
export interface FolderCommand extends Omit<Command, 'run'> {
  run(given: CommandInput, dataDir: string): Promise<CommandOutput>
  readonly at: 'folder'
}

interface Option {
  /** What is written behind it: `<account>`. */
  readonly value: string
  readonly doc: string
  readonly required?: true
}

/** What an operator has written. */
export interface CommandInput {
  readonly words: readonly string[]
  readonly options: Readonly<Record<string, string | undefined>>
}

/** What a command shows. */
export interface CommandOutput {
  /** For programs: JSON text. */
  readonly json: string
  /** For people: a table, its head first. */
  readonly table: readonly (readonly string[])[]
  /** For people, under it: a key that was made. */
  readonly secret?: string | undefined
  /** For people, beside all that. */
  readonly note?: string | undefined
  /** 0 where it is not set. */
  readonly exitCode?: number
}

/** Words that can't be meant; the message says what to write. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** A whole number that an option gives, if it does. @throws UsageError */
export function wholeNumber(options: CommandInput['options'], name: string): number | undefined {
  const text = options[name]
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new UsageError(`--${name} takes a whole number.`)
}

/** A point in time that an option gives, if it does. @throws UsageError */
export function pointInTime(options: CommandInput['options'], name: string): Timestamp | undefined {
  const text = options[name]
  if (text === undefined) return undefined
  const time = parseTimestamp(text)
  if (time === undefined) throw new UsageError(`--${name} takes a time such as 2027-01-01T00:00:00Z.`)
  return create(TimestampSchema, time)
}
