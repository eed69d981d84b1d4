/** A sheet of an Excel workbook as columns. docs/decisions/data.md */
import { zipSync } from 'fflate'
import readXlsxFile from 'read-excel-file/universal'
import { Refusal } from '../../src/brief.ts'
import type { Assumptions } from './conventions.ts'
import { shown } from './foreign-text.ts'
import { cellOf } from './json.ts'
import { HEAD, layoutOf } from './layout.ts'
import { boundedSize, distinctNames, type RawTable, type Value } from './raw-table.ts'
import { headersAgain, rulesSaid } from './repeats.ts'
import { unreadArchive } from './unread-formats.ts'
import { boundedSheets, odditiesOf } from './xlsx-bounds.ts'
import { isOf1904, percentCells, percentSaid, sheetPath, withZeros } from './xlsx-styles.ts'
import { unzip } from './zip.ts'

/** All parts of a file together, unpacked, and how many there may be. */
const MOST_UNPACKED = 64 * 1024 * 1024
const MOST_PARTS = 10_000

/** Throws a `Refusal` for a file that is broken, too large, unpacks to too much, or has no such sheet. */
export async function readXlsx(
  bytes: Uint8Array,
  { sheet, header_row: header }: Pick<Assumptions, 'sheet' | 'header_row'>,
  param: string,
): Promise<RawTable> {
  const parts = partsOf(bytes, param)
  boundedSheets(parts, param)
  const all = await sheetsOf(parts, param)
  const full = all.filter(({ rows }) => rows.some(row => row.some(cell => cell !== null && cell !== '')))
  const chosen = sheet === undefined ? full[0] : all.find(({ name }) => name === sheet)
  if (chosen === undefined && sheet !== undefined)
    throw new Refusal(
      'input.sheet',
      `There is no sheet ${shown(sheet)}. There are: ${all
        .slice(0, 20)
        .map(({ name }) => shown(name))
        .join(', ')}.`,
    )
  if (chosen === undefined || !full.includes(chosen)) throw new Refusal(param, 'The table is empty.')
  const others = full.filter(one => one !== chosen).map(({ name }) => shown(name))
  const place = all.indexOf(chosen)
  const { merged, uncounted, error } = odditiesOf(parts.get(sheetPath(parts, place)))
  const rows = withZeros(parts, place, chosen.rows)
  const table = tableOf(rows, header, percentCells(parts, place), dayZeroOf(parts), param)
  return {
    ...table,
    warnings: [
      ...(sheet === undefined && others.length > 0
        ? [
            `The sheet ${shown(chosen.name)} is read. There are others: ${others.slice(0, 10).join(', ')}. Say \`sheet\` for one of them.`,
          ]
        : []),
      ...(merged === undefined
        ? []
        : [`Cells are merged over rows, for example ${merged}: all but the first of them count as missing.`]),
      ...(uncounted === undefined
        ? []
        : [
            `Formulas have no result, for example in ${uncounted}, and count as missing. Open the file in a spreadsheet and save it.`,
          ]),
      ...(error === undefined ? [] : [`Cells with an error, for example ${error}, count as missing.`]),
      ...table.warnings,
    ],
  }
}

/** Those that make up the sheets; pictures and the like stay packed. */
function partsOf(bytes: Uint8Array, param: string): ReadonlyMap<string, Uint8Array> {
  try {
    const parts = unzip(bytes, {
      bytes: MOST_UNPACKED,
      parts: MOST_PARTS,
      wanted: name => /\.xml(\.rels)?$/.test(name) && !/^(?:docProps|customXml)\//.test(name),
    })
    if (parts === 'too large')
      throw new Refusal(param, 'The workbook unpacks to more than 64 MiB. Save the sheet as CSV, or a part of it.')
    const unread = unreadArchive(parts)
    if (unread !== undefined) throw new Refusal(param, `The file ${unread}.`)
    return parts
  } catch (cause) {
    throw cause instanceof Refusal ? cause : broken(cause, param)
  }
}

interface Sheet {
  readonly name: string
  readonly rows: readonly (readonly unknown[])[]
}

/** The library gets an archive that was written here, in which nothing is packed. */
async function sheetsOf(parts: ReadonlyMap<string, Uint8Array>, param: string): Promise<readonly Sheet[]> {
  const archive = new Uint8Array(zipSync(Object.fromEntries(parts), { level: 0 }))
  try {
    const sheets: readonly { readonly sheet: string; readonly data?: Sheet['rows'] }[] = await readXlsxFile(
      archive.buffer,
    )
    return sheets.map(({ sheet, data = [] }) => ({ name: sheet, rows: data })) // A chart has none, whatever the types say.
  } catch (cause) {
    throw broken(cause, param)
  }
}

const broken = (cause: unknown, param: string) =>
  new Refusal(param, `The workbook can't be read: ${shown(cause instanceof Error ? cause.message : 'it is broken')}.`)

function tableOf(
  rows: Sheet['rows'],
  header: number | undefined,
  percents: ReturnType<typeof percentCells>,
  dayZero: number,
  param: string,
): RawTable {
  const width = Math.max(0, ...rows.slice(0, HEAD).map(row => row.length), rows[0]?.length ?? 0)
  boundedSize(rows.length, width, param)
  const cells = (row: readonly unknown[]) => Array.from({ length: width }, (_, at) => dated(row[at], param))
  const head = rows.slice(0, HEAD).map(row => cells(row).map(written))
  const { names, skipped, warnings } = layoutOf(head, header, param)
  const filled = rows.slice(skipped).filter(row => row.some(cell => cell !== null && cell !== ''))
  const repeated = headersIn(filled, skipped > 0 ? (head[skipped - 1] ?? []) : [], width, param)
  const body = filled.filter((_, row) => !repeated.has(row))
  const columns = names.map((_, at) =>
    clocked(
      body.map(row => dated(row[at], param)),
      dayZero,
    ),
  )
  const distinct = distinctNames(names)
  const percentages = distinct.map((): number[] => [])
  for (const { row, column } of percents) {
    const value = rows[row]?.[column]
    if (row >= skipped && typeof value === 'number') percentages[column]?.push(value)
  }
  const numbersIn = (values: readonly Value[] = []) => values.filter(value => typeof value === 'number').length
  const said = distinct.flatMap((name, at) => percentSaid(name, percentages[at] ?? [], numbersIn(columns[at])))
  return {
    names: distinct,
    columns,
    rows: body.length,
    warnings: [...warnings, ...rulesSaid([], [...repeated]), ...said],
  }
}

/** Rows in which the header comes again, from 0. */
function headersIn(
  rows: readonly (readonly unknown[])[],
  header: readonly string[],
  width: number,
  param: string,
): ReadonlySet<number> {
  const filled = header.filter(name => name !== '').length
  const again = new Map<number, boolean>()
  for (const [row, cells] of rows.entries())
    if (filled > 1 && header.every((name, at) => name === (cells[at] ?? ''))) again.set(row, false)
  if (again.size === 0) return new Set()
  const texts = Array.from({ length: width }, (_, at) => rows.map(row => written(dated(row[at], param))))
  return headersAgain(header, texts, again)
}

/** Times are shares of days, and may be a little before the second that is meant. */
function dated(cell: unknown, param: string): Value {
  const value = cellOf(cell, param)
  if (!(value instanceof Date)) return value
  const second = Math.round(value.getTime() / 1000) * 1000
  return Math.abs(value.getTime() - second) <= 1 ? new Date(second) : value
}

/** Times of no day and lengths of time, as clocks show them, where a column has no other dates. */
function clocked(values: readonly Value[], dayZero: number): readonly Value[] {
  const areClocks = values.every(
    value => !(value instanceof Date) || (value.getTime() >= dayZero && value.getTime() < dayZero + LONGEST),
  )
  return areClocks
    ? values.map(value => (value instanceof Date ? clock(Math.round((value.getTime() - dayZero) / 1000)) : value))
    : values
}

/** Of a length of time: 33 days. */
const LONGEST = 33 * 86_400_000

/** The day with the number 0: of 1904 where the workbook says so, as those of old Macs do. */
const dayZeroOf = (parts: ReadonlyMap<string, Uint8Array>) =>
  isOf1904(parts) ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30)

const clock = (seconds: number) =>
  [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
    .map(part => String(part).padStart(2, '0'))
    .join(':')

/** A cell as the header shows it. */
const written = (value: Value): string =>
  value === null
    ? ''
    : value instanceof Date
      ? value.toISOString().replace('T00:00:00.000Z', '').replace('.000Z', '')
      : String(value)
