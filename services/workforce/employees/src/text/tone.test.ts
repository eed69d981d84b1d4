import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { it } from 'node:test'
import { promisify } from 'node:util'

// In a process of its own, as nothing stops an expression in its middle: one that starts again at each letter takes minutes.
it('the tone of 800,000 letters without a space is measured', async () => {
  const script = `
    import { tone } from ${JSON.stringify(join(import.meta.dirname, 'tone.ts'))}
    const [check] = tone('formal', Array(4).fill('eª'.repeat(100_000)).join(' ') + ' It’s fine, isn’t it?', 'en')
    console.log(check.value)`
  const flags = ['--input-type=module', '--eval', script]
  const { stdout } = await promisify(execFile)(execPath, flags, { timeout: 300_000 })
  assert.match(stdout, /\d/)
})
