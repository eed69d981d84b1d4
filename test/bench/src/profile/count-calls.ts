/** Counts in this process what the product asks of SQLite, of the disk, of JSON and of the contract's checks. */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { checks } from '../../../../libs/rpc/src/gen/checks.ts'
import { type Counts, noCounts } from './counts.ts'

/** How many ids of events are remembered. */
const MOST_EVENTS = 1_000

/** Replaces what is called by what counts it, from now on: before the product is loaded. Returns the counts so far. */
export function countCalls(): Readonly<Counts> {
  const counts = noCounts()
  countStatements(counts)
  countSyncs(counts)
  countJson(counts)
  countChecks(counts)
  return counts
}

function countStatements(counts: Counts): void {
  const { prepare } = DatabaseSync.prototype
  DatabaseSync.prototype.prepare = function (sql, ...rest) {
    const statement = prepare.call(this, sql, ...rest)
    return counted(statement, sql, counts)
  }
}

function counted(statement: StatementSync, sql: string, counts: Counts): StatementSync {
  const table = /^(?:INSERT INTO|UPDATE(?: OR IGNORE)?) "?(\w+)/.exec(sql)?.[1]
  if (sql === 'COMMIT') replace(statement, 'run', () => counts.transactions++)
  else if (table !== undefined) replace(statement, 'run', row => countRow(counts, table, row))
  for (const read of ['get', 'all', 'iterate'] as const) replace(statement, read, () => counts.reads++)
  return statement
}

function replace(
  statement: StatementSync,
  name: 'run' | 'get' | 'all' | 'iterate',
  count: (row: readonly SQLInputValue[]) => void,
): void {
  const call = statement[name] as (...row: SQLInputValue[]) => unknown
  Object.defineProperty(statement, name, {
    value(...row: SQLInputValue[]) {
      count(row)
      return call.apply(statement, row)
    },
  })
}

/** The events of late, by id. */
const events = new Map<string, { readonly type: string; readonly length: number }>()

function countRow(counts: Counts, table: string, row: readonly SQLInputValue[]): void {
  counts.statements += 1
  for (const value of row) if (typeof value === 'string') counts.written += value.length
  if (table === 'tasks') counts.recordWrites += 1
  if (table === 'event_log') {
    counts.events += 1
    const [, , , id, type, , value] = row
    events.set(String(id), { type: String(type), length: String(value).length })
    if (events.size > MOST_EVENTS) events.delete(events.keys().next().value as string)
  } else if (row.some(holdsEvent)) counts.eventCopies += 1
}

/** A row that names an event and its type, and is nearly as long as it is one. */
function holdsEvent(value: SQLInputValue): boolean {
  if (typeof value !== 'string') return false
  return (value.match(/evt_\w+/g) ?? []).some(id => {
    const event = events.get(id)
    return event !== undefined && value.includes(event.type) && value.length > event.length / 2
  })
}

function countSyncs(counts: Counts): void {
  for (const name of ['fdatasync', 'fsync', 'fdatasyncSync', 'fsyncSync'] as const) {
    const sync = fs[name] as (...words: unknown[]) => unknown
    Object.defineProperty(fs, name, {
      value(...words: unknown[]) {
        counts.syncs += 1
        return sync(...words)
      },
    })
  }
  syncBuiltinESMExports()
}

function countJson(counts: Counts): void {
  const { stringify, parse } = JSON
  JSON.stringify = ((value: unknown, ...rest: []) => {
    counts.stringified += 1
    if (isTaskRecord(value)) counts.recordEncodes += 1
    return stringify(value, ...rest)
  }) as typeof stringify
  JSON.parse = ((text: string, ...rest: []) => {
    counts.parsed += 1
    return parse(text, ...rest)
  }) as typeof parse
}

/** A task as the store keeps it: unlike a message, it has its tenant and its history. */
function isTaskRecord(value: unknown): boolean {
  const { tenant, history, attempt } = (value ?? {}) as Record<string, unknown>
  return typeof tenant === 'string' && Array.isArray(history) && typeof attempt === 'number'
}

function countChecks(counts: Counts): void {
  const table = checks as Map<string, typeof checks extends ReadonlyMap<string, infer Check> ? Check : never>
  for (const [name, check] of checks)
    table.set(name, (message, broken) => {
      counts.validations += 1
      return check(message, broken)
    })
}
