/** The functions that Node exposes to a locked process are the reviewed ones. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const FIXTURE = fileURLToPath(new URL('exposed-functions.fixture.ts', import.meta.url))
const LIST = fileURLToPath(new URL('exposed-functions.txt', import.meta.url))
const flags = ['--permission', '--allow-fs-read=*', '--disable-warning=ExperimentalWarning', '--disable-proto=delete']

test('a locked process can reach the functions that exposed-functions.txt lists, and no others', () => {
  const output = execFileSync(process.execPath, [...flags, FIXTURE], { encoding: 'utf8', stdio: 'pipe' })
  const [now, listed] = [output, readFileSync(LIST, 'utf8')].map(text => text.trim().split('\n')) as [
    string[],
    string[],
  ]
  const write = `node ${flags.join(' ')} ${FIXTURE} > ${LIST}`
  const added = now.filter(line => !listed.includes(line))
  const gone = listed.filter(line => !now.includes(line))
  assert.deepEqual({ added, gone }, { added: [], gone: [] }, `Close what is not needed (lockdown.ts), then: ${write}`)
})
