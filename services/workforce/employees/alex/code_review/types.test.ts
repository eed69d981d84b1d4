/** What the checker of types adds to a review. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { places, reviewOf } from './review-of.ts'

describe('types', () => {
  const rulesIn = async (...files: [string, string][]) =>
    places(await reviewOf({ files: files.map(([path, text]) => ({ path, text })) }))

  it('say where a name, a property or a number of arguments is wrong, with the other files in sight', async () => {
    const code = `import { lod } from './b.ts'
lod([])
const add = (a: number, b: number) => a + b
export const f = (values: readonly string[], options: { color: string }) => {
  add(1)
  g(valeus, values.lenght)
  f(values, { colour: 'red' })
  return options
}
`
    assert.deepEqual(await rulesIn(['src/a.ts', code], ['src/b.ts', 'export const load = (a: unknown) => a\n']), [
      'src/a.ts:1 TS2724',
      'src/a.ts:5 TS2554',
      'src/a.ts:6 TS2552',
      'src/a.ts:6 TS2551',
      'src/a.ts:7 TS2561',
      'src/a.ts:6 TS2304',
    ])
  })

  it('say nothing of what is not given: packages, files, globals and what stands in them', async () => {
    const code = `import express from 'express'
import type { Attributes } from 'preact'
import { Store } from './store.ts'
interface Props extends Attributes { readonly classNames: string }
class Shop extends Store { open(items: Stocks[]) { return this.itmes(items, 1, 2) } }
export const app = express()
app.get('/', (_: unknown, answer: { send(text: string): void }) => answer.send(process.env.HOME ?? __dirname))
export const show = (props: Props, at: NodeJS.Timeout) => props.className + String(at) + Buffer.from('a')
describe('a shop', () => it('opens', () => expect(new Shop().shelves(3)).toBe(jest.fn())))
`
    assert.deepEqual(await rulesIn(['src/a.ts', code]), [])
  })

  const severities = async (code: string) =>
    (await reviewOf({ code, path: 'a.ts' })).findings.map(({ severity, line, rule }) => `${severity} ${line} ${rule}`)

  for (const name of 'chrome google cy gtag defineProps ref useFetch jasmine setup'.split(' '))
    it(`say with a doubt that ${name} is declared nowhere: a project may declare it for all files`, async () => {
      const code = `export const res = 1\n${name}(res)\n`
      const { findings } = await reviewOf({ code, path: 'a.ts' })
      assert.deepEqual(
        findings.map(({ severity, line }) => [severity, line]),
        [['warning', 2]],
      )
      assert.match(findings[0]?.why ?? '', /declared in no file given/)
      for (const reference of ['types="a"', 'path="./globals.d.ts"'])
        assert.deepEqual(await severities(`/// <reference ${reference} />\n${code}`), [])
    })

  it('say nothing of names that a build puts values in place of', async () => {
    for (const path of ['a.ts', 'a.js'])
      assert.deepEqual(await rulesIn([path, 'export const f = (g) => (__DEV__ ? g(__APP_VERSION__) : 1)\n']), [])
    for (const name of ['__dev__', '__DEV', 'DEV__'])
      assert.equal((await rulesIn(['a.js', `export const f = ${name}\n`])).length, 1, name)
  })

  it('say without a doubt that a name is wrong where the file or a file of declarations has one like it', async () => {
    assert.deepEqual(await severities('export const values = [1]\nvaleus.pop()\n'), ['error 2 TS2552'])
    const files = [
      { path: 'a.ts', text: 'export const a = SETTIGNS\n' },
      { path: 'globals.d.ts', text: 'declare const SETTINGS: string\n' },
    ]
    const { findings } = await reviewOf({ files, min_severity: 'error' })
    assert.deepEqual(
      findings.map(({ rule, file }) => `${file} ${rule}`),
      ['a.ts TS2552'],
    )
  })

  it('of more than 100,000 characters are not looked at, and the linters look', async () => {
    const code = (comment: number) => `valeus(eval(a))\nexport const values = 1, a = ''\n${'//\n'.repeat(comment)}`
    const rulesOf = async (text: string) =>
      (await reviewOf({ code: text, path: 'a.ts' })).findings.map(({ rule }) => rule).toSorted()
    assert.ok((await rulesOf(code(33_000))).some(rule => rule.startsWith('TS')))
    assert.deepEqual(await rulesOf(code(34_000)), ['no-eval'])
  })

  it('are looked at in changed lines alone, and not at all where the syntax is broken', async () => {
    const diff = '--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,2 @@\n g(1)\n-f(1)\n+f(2)\n'
    assert.deepEqual(places(await reviewOf({ diff, files: [{ path: 'a.ts', text: 'g(1)\nf(2)\n' }] })), [
      'a.ts:2 TS2304',
    ])
    assert.deepEqual(await rulesIn(['a.ts', 'g(1)\nf(\n']), ['a.ts:3 syntax-error'])
  })
})
