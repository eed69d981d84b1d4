/**
 * Writes reference.tsv: `node test/bench/src/workforce/forecast/record.ts`, where R and its package forecast are. It takes about an
 * hour; windows whose words are there already are not asked again, so that it can be interrupted.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { METHODS, run } from './reference.ts'
import { windowsOf } from './windows.ts'

const file = new URL('reference.tsv', import.meta.url)
const said = existsSync(file) ? readFileSync(file, 'utf8') : ''
for (const window of windowsOf('judged')) {
  if (METHODS.every(method => said.includes(`${window.id}\t${method}\t`))) continue
  process.stderr.write(`${window.id}\n`)
  appendFileSync(file, run([window]))
}
