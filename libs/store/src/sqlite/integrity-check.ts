/** The process of `integrity.ts`: prints a line of JSON for each table, with what is wrong with it. */
import { DatabaseSync } from 'node:sqlite'
import { quoted } from './statements.ts'

const [file = '', pragma = 'quick_check'] = process.argv.slice(2)
const db = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all()
// A table at a time: between two the write-ahead log can begin anew.
for (const { name } of tables) {
  process.stdout.write(`${JSON.stringify({ table: name, problems: problemsOf(String(name)).slice(0, 10) })}\n`)
}
db.close()

function problemsOf(table: string): string[] {
  try {
    const check = db.prepare(`PRAGMA ${pragma === 'integrity_check' ? pragma : 'quick_check'}(${quoted(table)})`)
    return check
      .all()
      .map(row => String(Object.values(row)[0]))
      .filter(text => text !== 'ok')
  } catch (error) {
    return [(error as Error).message]
  }
}
