import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { document, signaturesIn } from './document.fixture.ts'

describe('a reference of TypeScript', () => {
  it('has the signatures of what is exported, under the names by which it is', async () => {
    const code = `
      function own(a: string): void {}
      export { own as shown, type Other as Again } from './other.ts'
      export { own as renamed }
      export default own
      export * from './more.ts'
      export * as all from './all.ts'
      export function over(a: string): string
      export function over(a: number): number
      export function over(a: unknown) { return a }
      export const arrow = async <T>(list: T[], { at = 1 } = {}) : Promise<T> => list[at]
      export const [first, { second }] = [1, { second: 2 }]
      export abstract class Box<T> extends Map<string, T> implements Iterable<T> {
        #hidden = 1
        private alsoHidden = 2
        static readonly size = 3
        constructor(protected readonly name: string, value?: T) { super() }
        get label(): string { return '' }
        abstract open(key: string): Promise<T>
      }
      export enum Level { Low = 1, High = 'x' }
      export namespace Deep { export const inner = 1; const hidden = 2 }
      export type Pair<T> = readonly [T, T]
      const notShown = 1`
    assert.deepEqual(await signaturesIn('a.ts', code), [
      "export { own as shown } from './other.ts'",
      "export type { Other as Again } from './other.ts'",
      'function own(a: string): void',
      'function own(a: string): void',
      "export * from './more.ts'",
      "export * as all from './all.ts'",
      'function over(a: string): string\nfunction over(a: number): number',
      'const arrow = async <T>(list: T[], { at = 1 } = {}): Promise<T> => …',
      'const first',
      'const second',
      'abstract class Box<T> extends Map<string, T> implements Iterable<T>',
      'static readonly size = 3',
      'constructor(protected readonly name: string, value?: T)',
      'get label(): string',
      'abstract open(key: string): Promise<T>',
      'enum Level',
      'Low = 1',
      "High = 'x'",
      'namespace Deep',
      'const inner = 1',
      'type Pair<T> = readonly [\n    T,\n    T\n]',
    ])
  })

  it('of an index has what it takes over from the files given, and from those that they take over', async () => {
    const files = [
      {
        path: 'src/index.ts',
        text: "export * from './a.ts'\nexport * from './lib'\nexport * from 'a-package'\nexport const own = 1\n",
      },
      {
        path: 'src/a.ts',
        text: "export * from './b.js'\nexport * from './index.ts'\nexport function add(a: number, b: number) {}\nexport default 1\n",
      },
      { path: 'src/b.ts', text: 'export const own = 2\nexport class Box {\n  open(key: string) {}\n}\n' },
      { path: 'src/lib/index.ts', text: '/** Of the library. */\nexport type Lib = 1\n' },
    ]
    const { modules, summary } = await document({ files })
    assert.deepEqual(
      modules[0]?.entries.flatMap(({ kind, name, line }) => (kind === 're-export' ? [] : `${line} ${name}`)),
      ['4 own', '1 add', '1 Box', '2 Lib'],
    )
    assert.ok(summary.undocumented.includes('src/index.ts: add'))
  })

  it('of indexes that take over thousands of names has as many as can be told, and is right as far', async () => {
    const names = Array.from({ length: 1500 }, (_, at) => `export const a${at} = 1\n`).join('')
    const indexes = ['b', 'c', 'd', 'e'].map(name => ({ path: `${name}.ts`, text: "export * from './a.ts'\n" }))
    const { modules } = await document({ files: [{ path: 'a.ts', text: names }, ...indexes] })
    assert.deepEqual(
      modules.map(({ entries }) => entries.filter(({ kind }) => kind !== 're-export').length),
      [1500, 1500, 1500, 1500, 500],
    )
  })

  it('takes CommonJS too', async () => {
    const code = 'exports.one = 1\nmodule.exports.two = x => x\nmodule.exports = { three, four: 4 }\n'
    const { modules } = await document({ code, path: 'a.cjs' })
    assert.deepEqual(
      modules[0]?.entries.map(({ name }) => name),
      ['one', 'two', 'three', 'four'],
    )
  })
})

it('a reference of OpenAPI names operations, parameters, bodies, answers and schemas', async () => {
  const code = `openapi: 3.1.0
info: { title: Shop, version: '1' }
paths:
  /items/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get:
      summary: Reads an item.
      responses: { '200': { content: { application/json: { schema: { $ref: '#/components/schemas/Item' } } } }, '404': { description: There is none. } }
    put:
      requestBody: { content: { application/json: { schema: { type: array, items: { enum: [a, b] } } } } }
      responses: { default: {} }
components:
  schemas:
    Item: { type: object, required: [id], properties: { id: { type: string, format: uuid }, price: { type: [number, 'null'] } } }
`
  assert.deepEqual(await signaturesIn('api.yaml', code), [
    'GET /items/{id} → 200: Item (application/json)',
    'id: string (path)',
    '200: Item (application/json)',
    '404: nothing',
    'PUT /items/{id}',
    'id: string (path)',
    'body: "a" | "b"[] (application/json)',
    'default: nothing',
    'Item: object',
    'id: string (uuid)',
    'price?: number | null',
  ])
})

it('a reference of a proto file names messages, fields, enums, services and calls', async () => {
  const code = `syntax = "proto3";
package shop.v1;
// What is sold.
message Item {
  string id = 1; // Its name.
  repeated Price prices = 2;
  map<string, int32> stock = 3;
  oneof kind { bool new = 4; bool used = 5; }
  optional int64 weight = 6;
  message Price { int64 cents = 1; }
}
enum State { STATE_UNSPECIFIED = 0; STATE_OPEN = 1; }
service Shop { rpc Watch(stream Item) returns (stream Item); }
`
  assert.deepEqual(await signaturesIn('shop.proto', code), [
    'message Item',
    'string id = 1',
    'repeated Price prices = 2',
    'map<string, int32> stock = 3',
    'bool new = 4 (one of kind)',
    'bool used = 5 (one of kind)',
    'optional int64 weight = 6',
    'message Item.Price',
    'int64 cents = 1',
    'enum State',
    'STATE_UNSPECIFIED = 0',
    'STATE_OPEN = 1',
    'service Shop',
    'rpc Watch(stream Item) returns (stream Item)',
  ])
})

describe('examples', () => {
  const code = 'export function add(a: number, b: number) { return a + b }\nexport const none = 1\n'
  const tests = [
    {
      path: 'a.test.ts',
      text: "it('is long', () => {\n  add(1, 2)\n  add(2, 3)\n})\nit('is short', () => {\n  add(1, 2)\n})\n",
    },
    { path: 'test_a.py', text: 'def test_add():\n    assert add(1, 2) == 3\n' },
  ]

  it('are the shortest tests that use a name, in the language of the source', async () => {
    const { examples } = await document({ code, path: 'a.ts', tests })
    assert.deepEqual(examples, [
      { name: 'add', file: 'a.ts', test: 'is short', source: 'a.test.ts', line: 5, code: 'add(1, 2)' },
    ])
    const python = await document({ code: 'def add(a, b):\n    return a + b\n', path: 'a.py', tests })
    assert.deepEqual(
      python.examples.map(({ source, code: used }) => [source, used]),
      [['test_a.py', 'assert add(1, 2) == 3']],
    )
  })
})

it('it reads the files of the program alone, and needs no environment', () => {
  const root = join(import.meta.dirname, '../../../../..')
  const program = `
    const { rules } = await import(${JSON.stringify(join(import.meta.dirname, 'engine.ts'))})
    const files = [['a.ts', 'export const a = 1'], ['b.py', 'def b(): ...'], ['c.proto', 'message C {}'], ['d.yaml', 'openapi: 3.0.0']].map(([path, text]) => ({ path, text }))
    const { result } = await rules({ topic: '', tone: '', constraints: {}, files: [], seed: 1, input: { files } })
    console.log(result.summary.modules, result.summary.entries)`
  const args = ['--permission', `--allow-fs-read=${root}`, '--input-type=module', '--eval', program]
  const out = execFileSync(process.execPath, args, { env: {}, cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  assert.equal(out.toString(), '4 3\n')
})
