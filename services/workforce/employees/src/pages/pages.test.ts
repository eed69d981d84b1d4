/** Pages of employees that nobody employs, and what stands in them whatever a kind's folder or an engine says. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Schema } from '@millhand/workforce/employee'
import type { KindSpec } from '../catalogue.ts'
import { fieldsOf } from '../common-fields.ts'
import { employeePage } from './employee-page.ts'
import { fieldTable } from './field-table.ts'
import { framed } from './markdown.ts'
import { picturesOf } from './pictures.ts'
import { cut, layOut } from './shown-json.ts'

const kind: KindSpec = {
  id: 'write_poem',
  employee: 'ann',
  title: 'Write a poem',
  description: 'In lines.',
  engines: ['llm'],
  input_schema: {
    type: 'object',
    required: ['about'],
    properties: {
      about: { title: 'About', description: 'a|b <i> `x|y`', type: 'string', maxLength: 2000 },
      form: { title: 'Form', description: 'Its form.', enum: ['ode', null], default: 'ode' },
    },
  },
  output_schema: {
    type: 'object',
    required: ['lines'],
    properties: {
      lines: { title: 'Lines', description: 'In order.', type: 'array', maxItems: 9, items: { $ref: '#/$defs/line' } },
      note: { title: 'Note', description: 'On it.', type: ['string', 'null'] },
    },
    $defs: {
      line: {
        type: 'object',
        properties: { feet: { title: 'Feet', description: 'How many.', type: 'integer', minimum: 0 } },
      },
    },
  },
  needs: ['topic', 'input.about'],
  fields: fieldsOf({ topic: { by: ['llm'] }, seed: { by: ['rules', 'llm'], description: 'Which words rhyme.' } }),
  example: { topic: 'Rain', input: { about: "the gardener's rain" } },
  folder: '/nowhere',
}
const ann = { id: 'ann', name: 'Ann', role: 'Poet', description: 'Writes.', kinds: [kind] }

const done = {
  answer: {
    result: { lines: [{ feet: 1 }, { feet: 2 }, { feet: 3 }] },
    text: 'One\n```sh\nrm -r .\n```',
    artifacts: [{ name: 'poem.svg', media_type: 'image/svg+xml', bytes: new Uint8Array(9) }],
  },
  checks: [{ id: 'lines', pass: true, value: 3, target: '1 | 2' }],
}

it('a kind that only a language model does shows what is asked, which setting it needs, and that somebody wrote the words', () => {
  const page = employeePage(ann, [{ kind, done, pictures: [] }])
  assert.match(page, /Needs a language model: `MILLHAND_LLM_URL`/)
  assert.ok(page.includes('A request needs at least one of `topic`, `input.about`.'))
  assert.ok(page.includes('| `topic` | **Topic.** What it is about. |'))
  assert.match(page, /"about": "the gardener's rain"/)
  assert.match(
    page,
    /"status": 501, "code": "engine_unavailable".*which somebody wrote to show their form.*"succeeded"/s,
  )
  assert.doesNotMatch(page, /answers with/, 'nobody holds a language model to it')
})

it('a kind by rules shows its result, its files and what was measured', () => {
  const page = employeePage(ann, [
    { kind: { ...kind, engines: ['rules', 'llm'] }, done, pictures: ['ann/write_poem/poem.svg'] },
  ])
  assert.match(page, /"result": \{ "lines": \[\{ "feet": 1 \}, \{ "feet": 2 \}\] \}/)
  assert.ok(page.includes('| `topic` | **Topic.** What it is about. Only with `"engine": "llm"`. |'))
  assert.ok(page.includes('| `seed` | **Seed.** Which words rhyme. |'))
  assert.match(page, /!\[poem\.svg\]\(ann\/write_poem\/poem\.svg\)/)
  assert.ok(page.includes('| `lines` | 3 | 1 \\| 2 | passed |'))
  assert.doesNotMatch(page, /^```sh\nrm/m, 'what an engine says is no block of the page')
})

it('a text is framed by more than stands in it', () => {
  assert.equal(framed('a\n````\nb'), '> `````text\n> a\n> ````\n> b\n> `````')
})

it('a table of fields says what each takes, through lists and references', () => {
  assert.deepEqual(fieldTable(kind.input_schema, 'sent').split('\n').slice(2), [
    '| `about` | text of at most 2,000 characters; **required** | **About.** a\\|b \\<i> `x\\|y` |',
    '| `form` | `"ode"`, `null`; `"ode"` where not given | **Form.** Its form. |',
  ])
  assert.deepEqual(fieldTable(kind.output_schema, 'given').split('\n').slice(2), [
    '| `lines` | list of at most 9 of: object | **Lines.** In order. |',
    '| `lines[].feet` | whole number of at least 0; may be absent | **Feet.** How many. |',
    '| `note` | text or null; may be absent | **Note.** On it. |',
  ])
})

it('a schema that needs itself ends', () => {
  const tree: Schema = {
    $ref: '#/$defs/node',
    $defs: {
      node: { properties: { leaf: { title: 'Leaf', description: 'Of it.', $ref: '#/$defs/node' } } },
    },
  }
  assert.equal(fieldTable(tree, 'given').split('\n').length, 3)
})

it('JSON is cut to what a page has room for, and stays of its shape', () => {
  const value = {
    list: [1, 2, 3],
    text: 'é'.repeat(400),
    fraction: 1 / 3,
    tiny: 1.23456789e-9,
    whole: 12_345_678,
    none: null,
    deep: { a: { b: { c: { d: { e: { f: { g: [{ h: 1 }, { h: 2 }, { h: 3 }] } } } } } } },
  }
  assert.deepEqual(cut(value), {
    list: [1, 2],
    text: `${'é'.repeat(160)}…`,
    fraction: 0.333333,
    tiny: 1.23457e-9,
    whole: 12_345_678,
    none: null,
    // Nothing is shown as empty that is not.
    deep: { a: { b: { c: { d: { e: { f: { g: [{ h: 1 }, { h: 2 }] } } } } } } },
  })
  assert.deepEqual(JSON.parse(layOut(value)), value)
  assert.equal(layOut({ a: [], b: {} }), '{ "a": [], "b": {} }')
})

it('pictures are drawings where there are some, and none that is too large for a page', () => {
  const file = (name: string, media_type: string, size = 1) => ({ name, media_type, bytes: new Uint8Array(size) })
  const names = (...files: ReturnType<typeof file>[]) => picturesOf(files).map(({ name }) => name)
  assert.deepEqual(
    names(file('a.png', 'image/png'), file('a.svg', 'image/svg+xml'), file('a.pdf', 'application/pdf')),
    ['a.svg'],
  )
  assert.deepEqual(names(file('a.png', 'image/png'), file('a.svg', 'image/svg+xml', 100_001)), ['a.png'])
})
