/** What Node offers a locked process is what somebody has looked at. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const FIXTURE = fileURLToPath(new URL('offers.fixture.ts', import.meta.url))
const LIST = fileURLToPath(new URL('offers.txt', import.meta.url))
const flags = ['--permission', '--allow-fs-read=*', '--disable-warning=ExperimentalWarning', '--disable-proto=delete']

test('a locked process is offered what offers.txt lists, and nothing else', () => {
  const offered = execFileSync(process.execPath, [...flags, FIXTURE], { encoding: 'utf8', stdio: 'pipe' })
  const [now, listed] = [offered, readFileSync(LIST, 'utf8')].map(text => text.trim().split('\n')) as [
    string[],
    string[],
  ]
  const write = `node ${flags.join(' ')} ${FIXTURE} > ${LIST}`
  const added = now.filter(line => !listed.includes(line))
  const gone = listed.filter(line => !now.includes(line))
  assert.deepEqual({ added, gone }, { added: [], gone: [] }, `Close what is not needed (lockdown.ts), then: ${write}`)
})
