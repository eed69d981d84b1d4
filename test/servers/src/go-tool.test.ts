import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

/** What `goMissing` is where `go` is this shell script, or nothing. */
function goMissing(script?: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'millhand-go-'))
  try {
    const go = join(folder, 'go')
    if (script !== undefined) writeFileSync(go, `#!/bin/sh\n${script}\n`)
    if (script !== undefined) chmodSync(go, 0o755)
    const code = `import { goMissing } from '${import.meta.resolve('./go-tool.ts')}'; console.log(goMissing)`
    const words = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', code]
    return execFileSync(process.execPath, words, { env: { PATH: folder }, encoding: 'utf8' }).trim()
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('a Go that is too old is as good as none', () => {
  const reason = 'needs Go 1.24 or later (https://go.dev/doc/install)'
  assert.equal(goMissing(), reason)
  assert.equal(goMissing('[ "$GOTOOLCHAIN" = local ] && echo go1.19.8 || echo go1.24.0'), reason)
  assert.equal(goMissing('echo go1.24.4'), 'false')
  assert.equal(goMissing('echo go1.26.8'), 'false')
})
