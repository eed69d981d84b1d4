/** What comments say is told tag by tag, with its code and its indentation. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { documentCode as document, has } from './document.fixture.ts'

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

it('a member whose type goes over several lines has its signature in one piece', async () => {
  const { markdown } = await document(
    'a.ts',
    'export interface Parser {\n  /** Resets it. */\n  reset(options?: {\n    /** Of the rest. */\n    consume?: boolean;\n  }): void\n}\n',
  )
  has(markdown, ['- `reset(options?: { consume?: boolean; }): void`: Resets it.'])
})
