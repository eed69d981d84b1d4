import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { hasVersion } from './missing.ts'

const folder = mkdtempSync(join(tmpdir(), 'millhand-missing-'))
after(() => rmSync(folder, { recursive: true }))

/** Why a test with curl is skipped where `curl` is this shell script, or nothing. */
function curlMissing(script?: string, env: NodeJS.ProcessEnv = {}): string {
  const curl = join(folder, 'curl')
  rmSync(curl, { force: true })
  if (script !== undefined) {
    writeFileSync(curl, `#!/bin/sh\n${script}\n`)
    chmodSync(curl, 0o755)
  }
  const code = `import { curlMissing } from '${import.meta.resolve('./tools.ts')}'; console.log(curlMissing())`
  const words = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', code]
  return execFileSync(process.execPath, words, { env: { PATH: folder, ...env }, encoding: 'utf8' }).trim()
}

describe('a tool', () => {
  const reason = 'needs curl 7.76 or later (Debian: curl)'

  it('that is there is used', () => {
    assert.equal(curlMissing('echo curl 7.88.1 OpenSSL/3.0.19'), 'false')
  })

  it('that is absent, broken or too old is missing, and the reason says how to get it', () => {
    assert.equal(curlMissing(), reason)
    assert.equal(curlMissing('echo curl 8.5.0; exit 127'), reason)
    assert.equal(curlMissing('echo no version'), reason)
    assert.equal(curlMissing('echo curl 7.74.0'), reason)
  })

  it('is never missing under CI, where its test fails instead', () => {
    assert.equal(curlMissing(undefined, { CI: 'true' }), 'false')
  })
})

describe('the version of a tool', () => {
  for (const [text, isThere] of [
    ['docker-compose version 1.29.2, build unknown', true],
    ['Docker Compose version v2.26.1-4', true],
    ['docker-compose version 1.28.9', false],
    ['2', true],
    ['', false],
  ] as const)
    it(`is read from ${JSON.stringify(text)}`, () => assert.equal(hasVersion(text, 1, 29), isThere))
})
