/** Tests that a brief gives, and the paths of its files. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { faultsOf } from '../../src/run-rules.ts'
import inputSchema from './input.schema.json' with { type: 'json' }
import { testsOf } from './measured.fixture.ts'

describe('tests given', () => {
  it('of Jest and Vitest are understood, with hooks, promises and timers', async () => {
    const test = `import { beforeEach, describe, expect, it } from 'vitest'
      import { later, fail } from '../src/a'
      describe('a', () => {
        let n = 0
        beforeEach(() => { n++ })
        it('counts', () => expect(n).toBe(1))
        it('waits', async () => { expect(await later(60000)).toEqual({ ms: 60000, n: [1] }); expect(n).toBeGreaterThan(1) })
        it('fails', async () => { await expect(fail()).rejects.toThrow('no'); expect(() => { throw new TypeError('x') }).toThrow(TypeError) })
        it('is not so', () => { expect([1]).not.toContain(2); expect('abc').toMatch(/b/) })
      })`
    const code = `export const later = (ms: number) => new Promise(resolve => setTimeout(() => resolve({ ms, n: [1] }), ms))
      export const fail = async () => { throw new Error('no') }`
    const told = await testsOf([{ path: 'src/a.ts', text: code }], [{ path: 'test/a.test.ts', text: test }])
    assert.deepEqual(told, { pass: true, value: '4' })
  })

  it('of modules are understood whatever their ending', async () => {
    for (const [code, test] of [
      ['a.mjs', 'a.test.mjs'],
      ['a.mts', 'a.test.mts'],
      ['a.ts', 'a.test.mjs'],
    ] as const) {
      const text = `import assert from 'node:assert/strict'\nimport { a } from './${code}'\ntest('a', () => assert.equal(a, 1))\n`
      const told = await testsOf([{ path: code, text: 'export const a = 1\n' }], [{ path: test, text }])
      assert.deepEqual(told, { pass: true, value: '1' }, test)
    }
  })

  it('of modules of the old sort are understood', async () => {
    const told = await testsOf(
      [{ path: 'a.js', text: 'module.exports = { a: n => n + 1 }' }],
      [
        {
          path: 'a.test.js',
          text: "const { a } = require('./a'); test('a', () => require('assert').strictEqual(a(1), 2))",
        },
      ],
    )
    assert.deepEqual(told, { pass: true, value: '1' })
  })

  it('of Python are understood: unittest, and functions', async () => {
    const test = `import unittest
from a import half
class Half(unittest.TestCase):
    def test_even(self):
        self.assertEqual(half(4), 2)
    def test_odd(self):
        with self.assertRaises(ValueError):
            half(3)
def test_nothing():
    assert half(0) == 1, "wrong"
`
    const code = 'def half(n):\n    if n % 2:\n        raise ValueError(n)\n    return n // 2\n'
    const told = await testsOf([{ path: 'a.py', text: code }], [{ path: 'test_a.py', text: test }])
    assert.deepEqual(told, { pass: false, value: '2: test_nothing: AssertionError: wrong' })
  })

  it('of Python say which file can not stand beside the others', async () => {
    const tests = [{ path: 'test_a.py', text: 'def test_a():\n    pass\n' }]
    const text = 'a = 1\n'
    for (const [first, second] of [
      ['app', 'app/x.py'],
      ['app/x.py', 'app'],
      ['app/x.py', 'src/'],
    ] as const) {
      const told = await testsOf(
        [first, second].map(path => ({ path, text })),
        tests,
      )
      assert.deepEqual(told?.pass, false, second)
      assert.match(told?.value ?? '', new RegExp(`^0: ${second}: there is a file where`))
    }
  })

  it('that are none do not pass', async () => {
    const none = await testsOf([{ path: 'a.js', text: '' }], [{ path: 'a.test.js', text: 'const a = 1' }])
    assert.deepEqual(none, { pass: false, value: '0' })
  })

  it('are not replaced by what was written', async () => {
    const tests = [{ path: 'a.test.js', text: "test('a', () => assert.equal(require('./a.js'), 2))" }]
    const files = [
      { path: 'a.js', text: 'module.exports = 1' },
      { path: 'a.test.js', text: "test('a', () => {})" },
    ]
    assert.equal((await testsOf(files, tests))?.pass, false)
  })
})

describe('a path of a brief', () => {
  const isTaken = (path: string) => faultsOf(inputSchema, { files: [{ path, text: '' }] }) === undefined

  for (const path of [
    'app/[id]/page.tsx',
    'app/(shop)/page.tsx',
    'two words.py',
    'größe/名前.ts',
    './a.ts',
    '..a/b..ts',
  ])
    it(`may be ${path}`, () => assert.ok(isTaken(path)))

  for (const path of ['', '/a.ts', '../a.ts', 'a/../b.ts', 'a/..', 'a//b.ts', 'a/', 'a\\b.ts', 'a\n.ts', 'a\u202e.ts'])
    it(`may not be ${JSON.stringify(path)}`, () => assert.ok(!isTaken(path)))

  it('with signs of its framework is one that tests import from', async () => {
    const code = { path: 'app/[id]/größe (x).ts', text: 'export const a = 1\n' }
    const text = "import { a } from './größe (x).ts'\ntest('a', () => expect(a).toBe(1))\n"
    assert.deepEqual(await testsOf([], [{ path: 'app/[id]/a.test.ts', text }], [code]), { pass: true, value: '1' })
    const python = { path: 'größe/ein teil/b.py', text: 'a = 1\n' }
    const test = { path: 'größe/ein teil/test_b.py', text: 'from b import a\ndef test_a():\n    assert a == 1\n' }
    assert.deepEqual(await testsOf([], [test], [python]), { pass: true, value: '1' })
  })
})
