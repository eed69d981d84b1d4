/** What is measured on code that a language model wrote. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import example from './example.json' with { type: 'json' }
import { measured } from './measured.fixture.ts'
import type { Input } from './result.ts'

const GOOD = `const units = [['day', 86400], ['hour', 3600], ['minute', 60], ['second', 1]] as const
export function inWords(seconds: number): string {
  if (!Number.isInteger(seconds) || seconds < 0) throw new RangeError('a whole number from 0')
  let rest = seconds
  const parts: string[] = []
  for (const [name, size] of units) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0 && parts.length < 2) parts.push(\`\${count} \${name}\${count > 1 ? 's' : ''}\`)
  }
  return parts.length > 0 ? parts.join(' ') : '0 seconds'
}
`

describe('code that was written', () => {
  it('parses, type-checks and passes the tests given, where it is right', async () => {
    const told = await measured([{ path: 'in-words.ts', text: GOOD }], example.input as Input)
    for (const [id, { pass, value }] of Object.entries(told)) assert.ok(pass, `${id}: ${value}`)
    assert.deepEqual(Object.keys(told), [
      'language',
      'files_parse',
      'no_type_errors',
      'every_test_file_run',
      'tests_pass_javascript',
      'explanation_names_exist',
      'explanation_tells_of_no_other_runs',
    ])
    assert.equal(told.tests_pass_javascript?.value, '3')
  })

  it('that fails a test says which and why', async () => {
    const text = GOOD.replace("'0 seconds'", "'nothing'")
    const told = await measured([{ path: 'in-words.ts', text }], example.input as Input)
    assert.equal(told.tests_pass_javascript?.pass, false)
    assert.match(
      told.tests_pass_javascript?.value ?? '',
      /^2: says nothing at all as 0 seconds: .*"nothing" is not "0 seconds"/,
    )
  })

  it('is held against its explanation, and so is what was run', async () => {
    const explanation = '`inWords` counts `units` with `formatUnit`. All tests pass.'
    const told = await measured([{ path: 'in-words.ts', text: GOOD }], {}, { explanation })
    assert.deepEqual(told.explanation_names_exist, { pass: false, value: '1: formatUnit' })
    assert.deepEqual(told.explanation_tells_of_no_other_runs, { pass: false, value: '1: “All tests pass”' })
    const tested = await measured([{ path: 'in-words.ts', text: GOOD }], example.input as Input, { explanation })
    assert.equal(tested.explanation_tells_of_no_other_runs?.pass, true)
  })

  it('in a language whose tests are not run says so, and passes no test', async () => {
    const tests = [{ path: 'slug_test.go', text: 'package slug\n' }]
    const told = await measured([{ path: 'slug.go', text: 'package slug\n' }], { tests }, { language: 'go' })
    assert.deepEqual(told.every_test_file_run, { pass: false, value: '0: slug_test.go can’t be run here' })
    assert.deepEqual(told.explanation_tells_of_no_other_runs?.pass, true)
  })

  it('with wrong types says where', async () => {
    const told = await measured([
      { path: 'src/a.ts', text: 'export const a: number = "b"\nexport const c = missing\n' },
    ])
    assert.deepEqual(told.no_type_errors?.pass, false)
    assert.match(told.no_type_errors?.value ?? '', /^2: src\/a\.ts:1 TS2322 .*src\/a\.ts:2 TS2304/)
  })

  const input = { ...(example.input as Input), tests: example.input.tests, language: 'typescript' as const }
  const python = { path: 'b.py', text: 'b = 1\n' }
  const wishes = { must_include: ['inWords'], avoid: ['eval('], max_words: 200 }
  for (const [what, files, rest, ids] of [
    ['is as it should be', [{ path: 'in-words.ts', text: GOOD }, python], {}, []],
    ['is of another language', [{ path: 'in-words.ts', text: GOOD }, python], { language: 'python' }, ['language']],
    [
      'can not be read',
      [{ path: 'in-words.ts', text: GOOD }, { path: 'b.rb', text: 'def (' }, python],
      {},
      ['files_parse'],
    ],
    [
      'has a wrong type',
      [{ path: 'in-words.ts', text: `${GOOD}const a: number = ''\n` }, python],
      {},
      ['no_type_errors'],
    ],
    [
      'names what is not there',
      [
        { path: 'in-words.ts', text: GOOD },
        { ...python, text: 'b = c\n' },
      ],
      {},
      ['no_undefined_names'],
    ],
    [
      'is wrong',
      [{ path: 'in-words.ts', text: GOOD.replace("'0 seconds'", "'none'") }, python],
      {},
      ['tests_pass_javascript'],
    ],
    [
      'lacks what is wished',
      [{ path: 'in-words.ts', text: GOOD }, python],
      { constraints: { ...wishes, must_include: ['missing'] } },
      ['must_include'],
    ],
    [
      'has what is not wished',
      [{ path: 'in-words.ts', text: GOOD }, python],
      { constraints: { ...wishes, avoid: ['export'] } },
      ['avoid'],
    ],
    [
      'is explained at length',
      [{ path: 'in-words.ts', text: GOOD }, python],
      { constraints: { ...wishes, max_words: 1 } },
      ['max_words'],
    ],
  ] as const)
    it(`that ${what} fails ${ids.length === 0 ? 'no check' : `the check ${ids}, and no other`}`, async () => {
      const told = await measured(files, input, { constraints: wishes, ...rest })
      assert.deepEqual(
        Object.entries(told).flatMap(([id, { pass }]) => (pass ? [] : id)),
        ids,
      )
      assert.equal(Object.keys(told).length, 11)
    })

  it('with wrong types gains nothing by telling the compiler to look away', async () => {
    for (const order of ['// @ts-nocheck', '// @ts-ignore']) {
      const told = await measured([{ path: 'a.ts', text: `${order}\nexport const a: number = 'b'\n` }])
      assert.equal(told.no_type_errors?.pass, false, order)
    }
  })

  it('is not in a language because it says so: a file of it is', async () => {
    const told = await measured([{ path: 'slug', text: 'slug = 1' }], { language: 'python' }, { language: 'python' })
    assert.deepEqual(told.language, { pass: false, value: 'no file of python' })
  })

  it('is not said to parse where nothing here reads it', async () => {
    const told = await measured([{ path: 'a.cob', text: 'IDENTIFICATION DIVISION.' }])
    assert.deepEqual(Object.keys(told), ['explanation_names_exist', 'explanation_tells_of_no_other_runs'])
  })

  it('that is nested too deeply is said not to parse, and stops nothing', async () => {
    const deep = `a = ${'['.repeat(20_000)}${']'.repeat(20_000)}\n`
    const files = [
      { path: 'a.ts', text: `export const ${deep}` },
      { path: 'b.py', text: deep },
    ]
    const tests = [{ path: 'a.test.ts', text: "import { a } from './a.ts'\ntest('a', () => a)\n" }]
    const told = await measured(files, { tests })
    assert.deepEqual(told.files_parse, { pass: false, value: '0: a.ts; b.py' })
    assert.deepEqual(told.no_type_errors, { pass: false, value: '1: It is nested too deeply for the compiler.' })
    assert.match(told.tests_pass_javascript?.value ?? '', /^0: a\.test\.ts: .*nested too deeply/)
    assert.equal(told.no_undefined_names, undefined)
  })

  it('has no wrong types because of packages that are not here', async () => {
    const text =
      'import express from "express"\nimport { a } from "./a.ts"\nexport const app = express()\napp.get("/", () => a + process.pid)\n'
    const files = [
      { path: 'a.ts', text: 'export const a = 1' },
      { path: 'b.ts', text },
    ]
    assert.deepEqual((await measured(files)).no_type_errors, { pass: true, value: '0' })
  })

  for (const [path, good, bad] of [
    ['a.ts', 'export const a = (b: number) => b', 'const a = ('],
    ['a.js', 'module.exports = 1', 'function {'],
    ['a.py', 'def a():\n    return 1\n', 'def a(:\n'],
    ['a.go', 'package a\n', 'func {'],
    ['a.rs', 'fn a() {}\n', 'fn {'],
  ] as const)
    it(`in ${path} is known to be broken where it is`, async () => {
      assert.equal((await measured([{ path, text: good }])).files_parse?.pass, true)
      const broken = await measured([{ path, text: bad }])
      assert.deepEqual(broken.files_parse, { pass: false, value: `0: ${path}` })
    })

  it('in Python names only what there is', async () => {
    const told = await measured([{ path: 'a.py', text: 'def a():\n    return missing\n' }])
    assert.match(told.no_undefined_names?.value ?? '', /^1: a\.py:2 .*missing/)
  })

  it('is held to the language asked for, and to wishes', async () => {
    const told = await measured(
      [{ path: 'a.py', text: 'a = 1\n' }],
      { language: 'go' },
      { language: 'python', constraints: { must_include: ['counts', 'a = 1'], avoid: ['import'], max_words: 3 } },
    )
    assert.deepEqual(told.language, { pass: false, value: 'python' })
    assert.deepEqual(told.must_include, { pass: true, value: '2' })
    assert.deepEqual(told.avoid, { pass: true, value: '0' })
    assert.deepEqual(told.max_words, { pass: true, value: '3' })
  })
})
