/** Writes the tables of `docs/` that are made from the code. */
import { readFileSync, writeFileSync } from 'node:fs'
import { readTables, withTable } from './tables.ts'

for (const table of await readTables()) {
  const file = new URL(`../../docs/${table.page}`, import.meta.url)
  writeFileSync(file, withTable(readFileSync(file, 'utf8'), table))
}
