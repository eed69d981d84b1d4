/** A file of tests in a test runner of its own, as a part of ours. */
import assert from 'node:assert/strict'
import { basename } from 'node:path'
import type { TestContext } from 'node:test'
import { linesOf } from './test-lines.ts'

export interface RunOptions {
  readonly cwd: string
  /** Besides our own environment. */
  readonly env: NodeJS.ProcessEnv
}

/**
 * Each test of the file as one of ours. A suite that is skipped or fails as a whole is one too: the runner reports nothing of its
 * tests. Rejects where the file has no test.
 */
export async function runFile(t: Pick<TestContext, 'test'>, file: string, options: RunOptions): Promise<void> {
  let count = 0
  for await (const { name, isSuite, skipped, error } of linesOf(file, options)) {
    const isWhole = skipped !== false || error !== undefined
    // The runner reports a file without tests as one test of that name, which passed.
    if (!isWhole && (isSuite || name === file)) continue
    count++
    await t.test(`${basename(file)}: ${name}`, { skip: skipped }, () => {
      if (error !== undefined) throw new Error(error)
    })
  }
  assert.ok(count > 0, `${file}: no test ran`)
}
