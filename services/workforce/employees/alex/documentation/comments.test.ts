/** What comments say is told tag by tag, with its code and its indentation; what is not told is counted. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Brief } from '../../src/brief.ts'
import { checks } from './checks.ts'
import { rules } from './engine.ts'
import type { Input, Result } from './result.ts'

async function document(path: string, code: string): Promise<Result> {
  const brief: Brief<Input> = { topic: '', tone: '', constraints: {}, files: [], seed: 1, input: { path, code } }
  const answer = await rules(brief)
  for (const { id, pass, value, target } of await checks(brief, answer)) assert.ok(pass, `${id}: ${value} of ${target}`)
  return answer.result
}

const has = (text: string, parts: readonly string[]) => {
  for (const part of parts) assert.ok(text.includes(part), `${part}\n---\n${text}`)
}

describe('a comment of JSDoc', () => {
  it('of a function stands before one over its assignment', async () => {
    const { modules } = await document(
      'index.js',
      `/**
 * Module exports.
 * @public
 */
exports.charset = charset
exports.charsets = { lookup: charset }
exports.contentType = contentType

/**
 * Get the default charset for a MIME type.
 * @param {string} type
 * @return {boolean|string}
 */
function charset (type) {}

function contentType (str) {}
`,
    )
    const said = new Map(modules[0]?.entries.map(({ name, description }) => [name, description]))
    assert.match(said.get('charset') ?? '', /^Get the default charset for a MIME type\.\n\n- param `type: string`/)
    assert.doesNotMatch(said.get('charset') ?? '', /Module exports/)
  })

  it('that says a member is private leaves it out, and it is counted', async () => {
    const { modules, markdown } = await document(
      'command.js',
      `export class Command {
  /** Runs it. */
  parse() {}
  /**
   * @private
   */
  _executeSubCommand() {}
  /** @package */
  _prepare() {}
  /**
   * Old.
   * @api private
   */
  _old() {}
  /** @internal */
  static _count = 1
  /** @access public */
  opts() {}
}
Command.prototype.help = function () {}
/** @private */
Command.prototype._exit = function () {}
`,
    )
    assert.deepEqual(
      modules[0]?.entries[0]?.members.map(({ name }) => name),
      ['parse', 'opts', 'help'],
    )
    assert.deepEqual(
      modules[0]?.left_out.map(({ count, names }) => [count, names]),
      [[5, ['_executeSubCommand', '_prepare', '_old', '_count', '_exit']]],
    )
    assert.match(markdown, /Not in this reference:\n\n- 5 private members/)
  })

  it('keeps types, defaults, dotted names and every tag', async () => {
    const { markdown } = await document(
      'a.js',
      `/**
 * Adds to {@link Total the total}, see {@link https://example.org/a?b=1&c=2}.
 * @template T
 * @param {string} name Name of it
 * @param {{a: number, b?: string}} [options={}] what else
 * @param {number} [options.depth=1] how deep
 * @param {...number} rest the others
 * @returns {Promise<number>} the sum
 * @throws {RangeError} when big
 * @deprecated use {@link plus}
 * @see Total
 * @default 1
 */
export async function f(name, options, ...rest) { return 1 }
`,
    )
    has(markdown, [
      'Adds to the total (`Total`), see https://example.org/a?b=1&c=2',
      '- template `T`',
      '- param `name: string`: Name of it',
      '- param `options?: {a: number, b?: string} = {}`: what else',
      '- param `options.depth?: number = 1`: how deep',
      '- param `...rest: number`: the others',
      '- returns `Promise<number>`: the sum',
      '- throws `RangeError`: when big',
      '- deprecated: use `plus`',
      '- see: Total',
      '- default: `1`',
    ])
    assert.doesNotMatch(markdown, /&#58;/)
  })

  it('names a tag of two names by one, and leaves out that all may use what is exported', async () => {
    const { markdown } = await document(
      'a.ts',
      `/**
 * Reads.
 * @arg text What is read.
 * @return {number} The count.
 * @public
 */
export function read(text: string) { return text.length }
`,
    )
    has(markdown, ['\n- param `text`: What is read.\n- returns `number`: The count.\n'])
    assert.doesNotMatch(markdown, /- (?:public|return|arg)\b(?!s)/)
  })

  it('has its examples as blocks of code, fenced or not', async () => {
    const { markdown } = await document(
      'a.js',
      `/**
 * Adds.
 * @example
 * \`\`\`js
 * if (f("a")) {
 *   @dec
 *   g()
 * }
 * \`\`\`
 * @example <caption>Without a fence</caption>
 * if (x) {
 *   f('<b>')
 * }
 * @returns {void}
 */
export function f() {}
`,
    )
    has(markdown, [
      '```js\nif (f("a")) {\n  @dec\n  g()\n}\n```',
      "Example: Without a fence\n\n```js\nif (x) {\n  f('<b>')\n}\n```",
      '- returns `void`',
    ])
  })

  it('defines types and callbacks with their properties', async () => {
    const { modules, markdown } = await document(
      'a.js',
      `/** @typedef {{x: number}} P A point */
/**
 * Of a drawing.
 * @typedef {Object} Options
 * @property {string} [color=red] the ink
 */
/**
 * @callback Done
 * @param {Error} [error]
 * @returns {boolean}
 */
export const a = 1
`,
    )
    assert.deepEqual(
      modules[0]?.entries.map(({ signature }) => signature),
      ['const a = 1', 'type P = {x: number}', 'type Options = Object', 'type Done = (error?: Error) => boolean'],
    )
    has(markdown, ['A point', 'Of a drawing.', '- `color?: string = red`: the ink'])
  })

  it('defines types at the end of a file, also where nothing else stands in it', async () => {
    const types = `/** @typedef {{x: number}} P A point */
/**
 * @callback Done
 * @returns {boolean}
 */`
    for (const end of ['', '\n', '\n// The end.\n'])
      for (const [before, names] of [
        ['', []],
        ['export const a = 1\n\n', ['a']],
        ['exports.a = 1\n', ['a']],
      ] as const) {
        const { modules } = await document('a.js', `${before}${types}${end}`)
        assert.deepEqual(
          modules[0]?.entries.map(({ name }) => name),
          [...names, 'P', 'Done'],
        )
      }
  })
})

it('each overload has its own comment, and the implementation that nobody can call is none', async () => {
  const { markdown } = await document(
    'a.ts',
    `/** By string. */
export function p(a: string): void
/** By number. */
export function p(a: number): void
export function p(a: unknown): void { void a }
export class Box {
  /** One. */
  put(a: string): void
  /** Many. */
  put(a: string[]): void
  put(a: unknown): void { void a }
}
`,
  )
  has(markdown, [
    '```ts\nfunction p(a: string): void\n```\n\nBy string.\n\n```ts\nfunction p(a: number): void\n```\n\nBy number.',
    '- `put(a: string): void`: One.\n- `put(a: string[]): void`: Many.',
  ])
  assert.doesNotMatch(markdown, /unknown/)
})

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

it('a member whose type goes over several lines has its signature in one piece', async () => {
  const { markdown } = await document(
    'a.ts',
    'export interface Parser {\n  /** Resets it. */\n  reset(options?: {\n    /** Of the rest. */\n    consume?: boolean;\n  }): void\n}\n',
  )
  has(markdown, ['- `reset(options?: { consume?: boolean; }): void`: Resets it.'])
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

it('a docstring keeps the indentation that it has beside its own', async () => {
  const { markdown, modules } = await document(
    'a.py',
    `def f(x):
    """Adds.

    Args:
        x: one of
            two

    Use it::

        if f(1):
            pass

    >>> f(1)
    2
    """
`,
  )
  assert.match(modules[0]?.entries[0]?.description ?? '', /^Args:\n {4}x: one of\n {8}two$/m)
  has(markdown, [
    '```text\nArgs:\n    x: one of\n        two\n```',
    'Use it::\n\n```text\nif f(1):\n    pass\n```',
    '```pycon\n>>> f(1)\n2\n```',
  ])
})

it('sections of NumPy keep their lists, and lose their underline where they are text', async () => {
  const { markdown } = await document(
    'a.py',
    `def f(x, y):
    """Adds.

    Parameters
    ----------
    x : int
        One of

        - one
        - two
    y : int
        The other.

    Examples
    --------
    >>> f(1, 1)
    2

    Notes
    -----
    It is exact.

    Results:
    --------
    Sums.
    """
`,
  )
  has(markdown, [
    '    - one\n    - two\ny : int\n    The other.\n```',
    'Examples:\n\n```pycon\n>>> f(1, 1)\n2\n```',
    'Notes:\nIt is exact.',
    'Results:\nSums.',
  ])
})

it('a comment on the line of the brace before it is of the member, and words behind a type are text', async () => {
  const { markdown } = await document(
    'a.js',
    `export class Leg { /** Bends. */ bend () {} /** Stretches. */ stretch () {} }
/** @type {number} How many */
export const legs = 3
`,
  )
  has(markdown, ['- `bend()`: Bends.', '- `stretch()`: Stretches.', '- type `number`: How many'])
})
