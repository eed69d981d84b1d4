/** What is assigned to exports is told, and what is left out is counted. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { documentCode as document, has } from './document.fixture.ts'

describe('what is assigned', () => {
  const names = async (code: string) =>
    (await document('a.js', code)).modules.flatMap(({ entries }) =>
      entries.map(({ kind, name, members }) => [kind, name, ...members.map(member => member.name)].join(' ')),
    )

  it('to the exports of CommonJS is exported, under each name that they have', async () => {
    assert.deepEqual(
      await names(
        'var app = exports = module.exports = {}\napp.use = function use(fn) {}\nexports.b = exports.c = 1\n',
      ),
      ['function use', 'export b', 'export c'],
    )
    assert.deepEqual(
      await names(
        "const own = (a) => a\nconst api = { own, at: 1, run() {}, 'x-y': 2 }\nmodule.exports = api\napi.more = class {}\n",
      ),
      ['function own', 'export at', 'function run', 'export x-y', 'class more'],
    )
    assert.deepEqual(await names("module.exports = { ...require('./a'), ...b }\nmodule.exports = require('./c')\n"), [
      "re-export * from './a'",
      "re-export * from './c'",
    ])
  })

  it('as nothing, before the value, is no export', async () => {
    assert.deepEqual(
      await names(
        '"use strict"\nexports.B = exports.a = void 0;\nexports.c = undefined;\nconst a = () => 1;\nexports.a = a;\nclass B {}\nexports.B = B;\n',
      ),
      ['function a', 'class B'],
    )
  })

  it('twice alike is told once, and so is what is assigned to an exported function', async () => {
    const { modules } = await document(
      'a.js',
      'function f() {}\nf.a = 1\nf.b = () => 2\nif (x) module.exports = f; else module.exports = f\n',
    )
    const [entry] = modules[0]?.entries ?? []
    assert.equal(entry?.signature, 'function f()')
    assert.deepEqual(
      modules[0]?.entries.map(({ name, members }) => [name, ...members.map(member => member.name)]),
      [['f', 'a', 'b']],
    )
    assert.deepEqual(await names('module.exports = f\nfunction f() {}\nexports.other = 1\nmodule.exports.more = f\n'), [
      'function f',
      'export other',
      'function more',
    ])
  })

  it('many times is read in time', { timeout: 300_000 }, async () => {
    const members = Array.from({ length: 1500 }, (_, at) => `f.a${at} = ${at}\n`).join('')
    const [found] = await names(`function f() {}\n${members}${'module.exports = f;\n'.repeat(3000)}`)
    assert.equal(found?.split(' ').length, 1502)
  })

  it('to a function, a class or its prototype is a member', async () => {
    assert.deepEqual(
      await names(
        'function Box() {}\nBox.of = function (a) {}\nBox.prototype.open = function open() {}\nBox.prototype = { close() {} }\nObject.assign(Box.prototype, { lock: function () {} })\nexport { Box }\n',
      ),
      ['function Box of close open lock'],
    )
    assert.deepEqual(await names('class A { a() {} }\nA.prototype.b = function () {}\nmodule.exports = A\n'), [
      'class A a b',
    ])
  })

  it('inside a function that is called at once counts as outside of it', async () => {
    assert.deepEqual(await names('(function () {\n  function one() {}\n  exports.one = one\n}).call(this)\n'), [
      'function one',
    ])
    assert.deepEqual(
      await names(
        "(function (global, factory) {\n  typeof exports === 'object' ? module.exports = factory() : global.a = factory()\n})(this, function () {\n  function one() {}\n  return { one: one }\n})\n",
      ),
      ['function one'],
    )
  })
})

describe('what is left out', () => {
  it('is said with its count', async () => {
    const { modules, markdown } = await document(
      'a.ts',
      'export class A { private a = 1; #b = 2 }\nfunction own() {}\nexport const c = 1\n',
    )
    assert.deepEqual(modules[0]?.left_out, [
      { reason: 'private members', count: 2, names: ['a', '#b'] },
      { reason: 'declarations that are not exported', count: 1, names: ['own'] },
    ])
    has(markdown, [
      'Not in this reference:\n\n- 2 private members: `a`, `#b`\n- 1 declaration that is not exported: `own`\n',
    ])
    const { modules: script } = await document(
      'b.js',
      "const all = {}\nmodule.exports = all\nall[x] = 1\nall['y'] = 2\n",
    )
    assert.deepEqual(script[0]?.left_out.map(({ reason, count }) => [reason, count]).at(-1), [
      'names that are computed',
      1,
    ])
  })

  it('is nothing of a description of types, which exports all that it declares', async () => {
    const { modules } = await document(
      'a.d.ts',
      'export interface A {}\ninterface B {}\ndeclare namespace C { function d(): void }\n',
    )
    assert.deepEqual(
      modules[0]?.entries.map(({ name, members }) => [name, ...members.map(member => member.name)]),
      [['A'], ['B'], ['C', 'd']],
    )
    assert.deepEqual(modules[0]?.left_out, [])
  })

  it('of a module of Python counts its private names, and what it takes over is told', async () => {
    const { modules } = await document(
      'pkg/__init__.py',
      'from .a import b as c, d\nfrom os import path\n_e = 1\ndef _f(): pass\n',
    )
    assert.deepEqual(
      modules[0]?.entries.map(({ signature }) => signature),
      ['from .a import b as c', 'from .a import d'],
    )
    assert.deepEqual(modules[0]?.left_out, [{ reason: 'private names', count: 1, names: ['_f'] }])
    const { modules: listed } = await document(
      'm.py',
      "from x import y\n__all__ = ['y', 'z']\n__all__ += ['w']\nw: int = 1\n",
    )
    assert.deepEqual(
      listed[0]?.entries.map(({ name }) => name),
      ['w', 'y'],
    )
    assert.deepEqual(listed[0]?.left_out, [
      { reason: 'names of __all__ that are defined elsewhere', count: 1, names: ['z'] },
    ])
  })
})
