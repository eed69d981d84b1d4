import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checks } from './checks.ts'
import { brief, document } from './document.fixture.ts'
import { rules } from './engine.ts'

describe('the checks of a reference', () => {
  it('fail where files were not read, and name them', async () => {
    const files = [
      { path: 'zlib.h', text: 'int deflate(z_streamp strm, int flush);\n' },
      { path: 'main.go', text: 'package main\n\nfunc main() {}\n' },
      { path: 'schema.json', text: '{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object"}' },
    ]
    const measured = async (given: typeof files) => {
      const answer = await rules(brief({ files: given }))
      return { ...answer, checks: await checks(brief({ files: given }), answer) }
    }
    const { checks: none, result, text } = await measured(files)
    assert.deepEqual(none, [
      { id: 'every_file_read', pass: false, value: '0; not read: zlib.h, main.go, schema.json', target: 3 },
    ])
    assert.deepEqual([result.summary.modules, result.summary.entries, result.summary.documented], [0, null, null])
    assert.match(text, /Files not read\n\n- `zlib\.h`: Its language is not supported/)
    const { checks: some } = await measured([{ path: 'a.ts', text: 'export const a = 1\n' }, ...files.slice(0, 1)])
    assert.deepEqual(
      some.map(({ id, pass }) => [id, pass]),
      [
        ['every_file_read', false],
        ['names_of_the_parser', true],
        ['signatures_of_the_parser', true],
        ['signatures_in_the_text', true],
      ],
    )
  })

  it('say nothing of what there is nothing of', async () => {
    const asked = brief({ path: 'a.json', code: '{"openapi":"3.1.0"}' })
    assert.deepEqual(
      (await checks(asked, await rules(asked))).map(({ id }) => id),
      ['every_file_read'],
    )
  })

  it('compare it with what the parser lists, not with itself', async () => {
    for (const [path, code] of [
      ['a.ts', 'export function load(path: string, depth = 1) {}'],
      ['a.py', 'def load(path, *, depth=1): pass'],
      ['a.proto', 'service Loads {\n  rpc load(path) returns (depth);\n}'],
    ] as const) {
      const asked = brief({ code, path })
      const answer = await rules(asked)
      const failed = async (changed: string) => {
        const text = JSON.stringify(answer).replaceAll(/\bpath\b/g, changed)
        return (await checks(asked, JSON.parse(text))).flatMap(({ id, pass }) => (pass ? [] : id))
      }
      assert.deepEqual(await failed('path'), [], path)
      assert.deepEqual(await failed('other'), ['signatures_of_the_parser'], path)
    }
  })

  const load = brief({
    code: 'export class Loader {\n  open(path: string) {}\n}\nexport function load(path: string, depth = 1) {}\n',
    path: 'a.ts',
    tests: [{ path: 'a.test.ts', text: "it('loads', () => {\n  load('a')\n  load('b')\n})\n" }],
  })
  for (const [what, change, ids] of [
    ['nothing', text => text, []],
    [
      'a member',
      text => text.replaceAll('"name":"open"', '"name":"close"'),
      ['names_of_the_parser', 'signatures_of_the_parser'],
    ],
    ['a letter of a parameter', text => text.replaceAll('depth = 1', 'depths = 1'), ['signatures_of_the_parser']],
    [
      'a name',
      text => text.replaceAll('"name":"load","signature":"function', '"name":"lost","signature":"function'),
      ['names_of_the_parser', 'signatures_of_the_parser'],
    ],
    ['a parameter', text => text.replaceAll('function load(path', 'function load(way'), ['signatures_of_the_parser']],
    ['the text', text => text.replaceAll('```ts\\nfunction load', '```ts\\nfunction lost'), ['signatures_in_the_text']],
    ['an example', text => text.replaceAll("load('b')", "load('c')"), ['examples_stand_in_the_tests']],
    [
      'the order of an example',
      text => text.replaceAll("load('a')\\nload('b')", "load('b')\\nload('a')"),
      ['examples_stand_in_the_tests'],
    ],
  ] as const satisfies [string, (text: string) => string, readonly string[]][])
    it(`see that ${what} was changed`, async () => {
      const { result, citations = [] } = await rules(load)
      const changed = JSON.parse(change(JSON.stringify({ result, citations })))
      const measured = await checks(load, { text: '', ...changed })
      assert.deepEqual(
        measured.flatMap(({ id, pass }) => (pass ? [] : id)),
        ids,
      )
    })

  it('hold for descriptions whose parts are empty, or given twice', async () => {
    for (const code of [
      '{"openapi":"3.1.0","paths":null,"components":null}',
      '{"openapi":"3.1.0","paths":{"/a":null},"components":{"schemas":null}}',
      '{"openapi":"3.1.0","paths":{"/a":{"get":null,"get":{}}},"components":{"schemas":{"A":null}}}',
      'openapi: 3.1.0\npaths:\ncomponents:\n  schemas:\n    A:\n',
    ])
      assert.equal((await document({ code, path: 'a.json' })).modules.length, 1, code)
  })
})
