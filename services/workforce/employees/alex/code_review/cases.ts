/** Tests of one rule with code that it finds and code that it leaves alone. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { reviewOf } from './review-of.ts'

/** `bad` gives the line of the finding in the wrapped code. */
export function cases(
  rule: string,
  path: string,
  wrap: (code: string) => string,
  bad: Readonly<Record<string, number>>,
  good: readonly string[],
) {
  describe(`${rule} in ${path}`, () => {
    const linesOf = async (code: string) =>
      (await reviewOf({ files: [{ path, text: wrap(code) }] })).findings.flatMap(found =>
        found.rule === rule ? found.line : [],
      )
    for (const [code, line] of Object.entries(bad))
      it(`is found: ${code}`, async () => assert.deepEqual(await linesOf(code), [line]))
    for (const code of good) it(`is none: ${code}`, async () => assert.deepEqual(await linesOf(code), []))
  })
}
