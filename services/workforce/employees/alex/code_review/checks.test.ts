/** The checks of a review see what is wrong in it. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checks } from './checks.ts'
import { rules } from './engine.ts'
import type { Input, Result } from './result.ts'
import { briefOf } from './review-of.ts'

describe('the checks of a review', () => {
  const diff = '--- a/a.js\n+++ b/a.js\n@@ -1,2 +1,2 @@\n-const a = [1]\n+if (a === NaN) a()\n const b = 2\n'
  const asked: Input = { diff, files: [{ path: 'a.js', text: 'if (a === NaN) a()\nconst b = 2\n' }] }
  const failed = async (change: (found: Result['findings'][number]) => Partial<Result['findings'][number]>) => {
    const answer = await rules(briefOf(asked))
    const findings = answer.result.findings.map(found =>
      found.rule === 'use-isnan' ? { ...found, ...change(found) } : found,
    )
    const measured = await checks(briefOf(asked), { ...answer, result: { ...answer.result, findings } })
    return measured.flatMap(({ id, pass }) => (pass ? [] : id))
  }

  it('pass a review as it is', async () => assert.deepEqual(await failed(() => ({})), []))

  for (const [what, change] of [
    ['fits nowhere', ({ patch }) => ({ patch: patch?.replace('-if (a', '-if (b') ?? null })],
    ['leaves the file unreadable', ({ patch }) => ({ patch: patch?.replace('+if (', '+if ((') ?? null })],
    ['is none', () => ({ patch: 'a' })],
    ['is of two files', ({ patch }) => ({ patch: `${patch}${patch}` })],
  ] as const satisfies [string, Parameters<typeof failed>[0]][])
    it(`see a patch that ${what}`, async () => assert.deepEqual(await failed(change), ['patches_apply_and_parse']))

  for (const [what, line] of [
    ['was not changed', 2],
    ['is not there', 9],
    ['is none', 0],
  ] as const)
    it(`see a finding in a line that ${what}`, async () =>
      assert.deepEqual(await failed(() => ({ line })), ['findings_in_lines_given']))
})
