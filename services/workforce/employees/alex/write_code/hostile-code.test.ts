/** Code that was written to harm, or to pass tests that it fails. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testsOf } from './measured.fixture.ts'

describe('hostile code', { timeout: 1_800_000 }, () => {
  const js = (text: string) =>
    testsOf(
      [{ path: 'a.js', text }],
      [{ path: 'a.test.js', text: "test('a', async () => assert.equal(await require('./a.js').a(), 1))" }],
    )
  const py = (text: string) =>
    testsOf([{ path: 'a.py', text }], [{ path: 'test_a.py', text: 'import a\ndef test_a():\n    assert a.a() == 1\n' }])

  for (const [does, text] of [
    ['reads a file', "exports.a = () => require('node:fs').readFileSync('/etc/passwd') && 1"],
    ['reads a file by import()', "exports.a = async () => (await import('node:fs')).readFileSync('/etc/passwd') && 1"],
    ['starts a process', "exports.a = () => require('child_process').execSync('id') && 1"],
    ['opens a socket', "exports.a = () => fetch('http://127.0.0.1/').then(() => 1)"],
    ['reads the environment', 'exports.a = () => process.env && 1'],
    ['gets out by a constructor', "exports.a = () => this.constructor.constructor('return process')().pid && 1"],
    ['waits for ever', 'exports.a = () => new Promise(() => {})'],
    ['overflows the stack', 'exports.a = () => exports.a() + 1'],
    ['eats memory', "exports.a = () => { const all = []; for (;;) all.push('x'.repeat(1e6) + all.length) }"],
    ['eats memory at once', 'exports.a = () => new Uint8Array(2 ** 31 - 1).fill(1)[0]'],
  ] as const)
    it(`in JavaScript that ${does} only fails its test`, async () => {
      const told = await js(text)
      assert.equal(told?.pass, false)
      assert.match(told?.value ?? '', /^0/)
    })

  for (const [does, text] of [
    ['calls all equal', 'Object.is = () => true'],
    ['empties the assertions', 'for (const name of Object.keys(assert)) assert[name] = () => {}'],
    ['replaces the assertions', 'globalThis.assert = { equal() {} }; globalThis.expect = () => ({ toBe() {} })'],
    ['empties each test', 'const real = test; globalThis.test = name => real(name, () => {})'],
    ['writes the report', "Object.prototype.toJSON = () => ({ kind: 'result', name: 'a', fault: '' })"],
    ['takes the words out of faults', "String.prototype.slice = () => ''"],
    ['goes through the tests first', 'Object.getPrototypeOf([].values()).next = () => ({ done: true })'],
    ['brings tests of its own', "for (const name of ['b', 'c']) test(name, () => {})"],
    ['leaves out the faults', 'Promise.prototype.then = run => run && run()'],
  ] as const)
    it(`in JavaScript that ${does} passes no test that it fails`, async () => {
      const told = await js(`${text}\nexports.a = () => 2`)
      assert.equal(told?.pass, false)
      assert.match(told?.value ?? '', /^0: a: AssertionError/)
    })

  it('is told from code that overrides what it inherits, and tests from those that set the clock', async () => {
    const code = `function Wrong(a) { this.name = 'Wrong'; this.message = a }
      Wrong.prototype = Object.create(Error.prototype)
      Wrong.prototype.constructor = Wrong
      const one = { n: 1 }
      one.toString = one.valueOf = () => 'one'
      exports.toString = () => 'me'
      exports.a = () => { const error = new Wrong('no'); error.name += '!'; return error.name + error.message + one + Date.now() + Math.random() }`
    const test = `const { a } = require('./a.js')
      test('a', () => { Date.now = () => 7; Math.random = () => 0.5; globalThis.fetch = 1; assert.equal(a(), 'Wrong!noone70.5') })`
    const told = await testsOf([{ path: 'a.js', text: code }], [{ path: 'a.test.js', text: test }])
    assert.deepEqual(told, { pass: true, value: '1' })
  })

  for (const [does, text] of [
    ['loops for ever', 'exports.a = () => { for (;;); }'],
    ['loops for ever as it is loaded', 'for (;;);'],
    ['loops for ever, whatever it catches,', 'exports.a = () => { for (;;) try { for (;;); } catch {} }'],
    ['loops for ever in promises', 'exports.a = async () => { for (;;) await undefined }'],
    ['has a regular expression that takes for ever', "exports.a = () => /^(a+)+$/.test('a'.repeat(50) + '!') || 1"],
  ] as const)
    it(`in JavaScript that ${does} is stopped`, async () => {
      const told = await js(text)
      assert.match(told?.value ?? '', /^0.*stopped after 5 s/)
    })

  for (const [does, text] of [
    ['eats memory', "def a():\n    all = []\n    while True:\n        all.append('x' * 10_000_000 + str(len(all)))\n"],
    ['overflows the stack', 'def a():\n    return a() + 1\n'],
  ] as const)
    it(`in Python that ${does} only fails its test`, async () => {
      const told = await py(text)
      assert.equal(told?.pass, false)
      assert.match(told?.value ?? '', /^0/)
    })

  const results = '{"results": [{"path": "test_a.py", "name": "test_a", "fault": ""}]}'
  const forged = `import os\nwith open('/results.json', 'w') as file:\n    file.write('${results}')\n`
  for (const [ends, text, value] of [
    ['exits', `${forged}os._exit(0)\n`, /^0: Program terminated with exit\(0\)/],
    ['loops for ever', `${forged}while True:\n    pass\n`, /^0: stopped after 5 s/],
  ] as const)
    it(`in Python that writes its own results and then ${ends} passes no test`, async () => {
      const told = await py(text)
      assert.equal(told?.pass, false)
      assert.match(told?.value ?? '', value)
    })

  it('in Python that loops for ever, whatever it catches, is stopped', async () => {
    const told = await py(
      'def a():\n    while True:\n        try:\n            while True:\n                pass\n        except BaseException:\n            pass\n',
    )
    assert.match(told?.value ?? '', /^0: stopped after 5 s/)
  })
})
