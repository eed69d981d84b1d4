/** Writes `docs/workforce/`; with `--check` compares instead, and fails where it differs. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readCatalogue } from '../catalogue.ts'
import { doExample } from './do-example.ts'
import { employeePage } from './employee-page.ts'
import { indexPage } from './index-page.ts'
import { picturesOf } from './pictures.ts'

const folder = join(import.meta.dirname, '../../../../../docs/workforce')

const files = new Map<string, Uint8Array>()
const employees = readCatalogue()
files.set('README.md', Buffer.from(indexPage(employees)))
for (const employee of employees) {
  const works = []
  for (const kind of employee.kinds) {
    const done = await doExample(kind)
    const pictures = picturesOf(done.answer.artifacts ?? [])
    for (const { name, bytes } of pictures) files.set(join(employee.id, kind.id, name), bytes)
    works.push({ kind, done, pictures: pictures.map(({ name }) => `${employee.id}/${kind.id}/${name}`) })
  }
  files.set(`${employee.id}.md`, Buffer.from(employeePage(employee, works)))
}

if (process.argv.includes('--check')) compare()
else write()
// An engine may keep something open.
process.exit()

function write(): void {
  rmSync(folder, { recursive: true, force: true })
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), bytes)
  }
}

function compare(): void {
  const there = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
  const same = (path: string, bytes: Uint8Array) =>
    there.includes(path) && readFileSync(join(folder, path)).equals(bytes)
  const faults = [
    ...[...files].flatMap(([path, bytes]) => (same(path, bytes) ? [] : [`${path} is not what the kinds say and do`])),
    ...there.flatMap(path => (files.has(path) ? [] : [`${path} is of no kind`])),
  ]
  for (const fault of faults) process.stderr.write(`docs/workforce/${fault}: run pnpm generate, and read the diff.\n`)
  if (faults.length > 0) process.exitCode = 1
}
