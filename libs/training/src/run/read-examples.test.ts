/** Examples are read from each format, and what is wrong is told with its line and column. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { DuckDBInstance } from '@duckdb/node-api'
import { checkParameters } from './check-parameters.ts'
import { ExamplesInvalid } from './example-set.ts'
import { type ExampleFormat, exampleFormatOf, readExamples } from './read-examples.ts'
import type { TrainableModel } from './trainable-model.ts'

const spec = (name: string, shape: readonly number[]) => ({ name, dtype: 'float32', shape }) as const
const three: TrainableModel = { inputs: [spec('x', [-1, 2])], outputs: [spec('y', [-1, 3])] }
const named: TrainableModel = { ...three, labels: ['red', 'green', 'blue'] }
const one: TrainableModel = { ...three, outputs: [spec('y', [-1, 1])] }

interface Case {
  readonly model?: TrainableModel
  readonly format?: ExampleFormat
  readonly parameters?: object
  readonly mostExamples?: number
}

function read(content: string | Uint8Array, { model = three, format = 'jsonl', parameters, mostExamples }: Case = {}) {
  const checked = checkParameters(parameters, model)
  assert.ok('parameters' in checked, JSON.stringify(checked))
  const bytes = Buffer.from(content)
  // In pieces that end anywhere.
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7)
  }
  const options = { format, model, parameters: checked.parameters, ...(mostExamples && { mostExamples }) }
  return readExamples(chunks(), options)
}

const lines = (...records: unknown[]) => records.map(record => JSON.stringify(record)).join('\n')

test('JSON Lines', async () => {
  const text = `\ufeff${lines({ input: [1, 2], label: 0 }, { label: 2, input: [3, 4] })}\n\n${lines({ input: '[5,6]', label: '1' })}\n`
  const set = await read(text)
  assert.equal(set.count, 3)
  assert.deepEqual(set.inputs.get('x'), { dtype: 'float32', shape: [3, 2], data: Float32Array.of(1, 2, 3, 4, 5, 6) })
  assert.deepEqual(set.targets, { dtype: 'int64', shape: [3, 1], data: BigInt64Array.of(0n, 2n, 1n) })
  assert.deepEqual([...set.lines], [1, 2, 4])
  assert.equal(set.column, 'label')
  assert.equal(set.bytes, Buffer.byteLength(text))
  assert.equal((await read(text)).sha256, set.sha256)
})

test('named tensors, and lists in lists', async () => {
  const model: TrainableModel = { ...three, inputs: [spec('a', [-1, 2]), spec('b', [-1, -1, 2])] }
  const tensor = (shape: number[], data: number[]) => ({ dtype: 'float32', shape, data })
  const set = await read(
    lines(
      { input: { a: tensor([1, 2], [1, 2]), b: tensor([1, 1, 2], [3, 4]) }, label: 0 },
      { input: { b: tensor([1, 1, 2], [7, 8]), a: tensor([1, 2], [5, 6]) }, label: 1 },
    ),
    { model },
  )
  assert.deepEqual([...(set.inputs.get('a')?.data ?? [])], [1, 2, 5, 6])
  assert.deepEqual(set.inputs.get('b')?.shape, [2, 1, 2])
  const picture: TrainableModel = { ...three, inputs: [spec('x', [-1, 2, 2])] }
  const nested = await read(
    lines(
      {
        input: [
          [1, 2],
          [3, 4],
        ],
        label: 0,
      },
      { input: [5, 6, 7, 8], label: 1 },
    ),
    { model: picture },
  )
  assert.deepEqual(nested.inputs.get('x')?.shape, [2, 2, 2])
})

test('numbers as the manifest of the model has them', async () => {
  const numbers = { name: 'numbers', count: 4, shape: [1, 2, 2], min: 0, max: 16, scale: 0.0625 } as const
  const model: TrainableModel = { ...three, inputs: [spec('x', [-1, 1, 2, 2])], numbers }
  const set = await read(lines({ input: [0, 16, 8, 4], label: 0 }, { input: [1, 1, 1, 1], label: 1 }), { model })
  assert.deepEqual(set.inputs.get('x')?.shape, [2, 1, 2, 2])
  assert.deepEqual([...(set.inputs.get('x')?.data ?? [])].slice(0, 4), [0, 1, 0.5, 0.25])
  await refused(
    lines({ input: [0, 17, 8, 4], label: 0 }),
    'line 1, column `input`: number 1 is 17; the model takes from 0 to 16',
    { model },
  )
})

test('labels by name, numbers as targets, and lists of them', async () => {
  const colours = await read(lines({ input: [1, 2], label: 'blue' }, { input: [1, 2], label: 0 }), { model: named })
  assert.deepEqual([...colours.targets.data], [2n, 0n])
  const parameters = { loss: 'mean_squared' }
  const set = await read(lines({ input: [1, 2], target: [1, 2, -0.5] }), { parameters })
  assert.deepEqual(set.targets, { dtype: 'float32', shape: [1, 3], data: Float32Array.of(1, 2, -0.5) })
  const binary = await read(lines({ input: [1, 2], label: true }, { input: [1, 2], label: 0 }), {
    model: one,
    parameters: { loss: 'binary_cross_entropy' },
  })
  assert.deepEqual(binary.targets, { dtype: 'float32', shape: [2, 1], data: Float32Array.of(1, 0) })
})

test('CSV, with a column for each number or one with JSON', async () => {
  const set = await read('\ufeffwidth,label,"height"\r\n1,red,2\r\n3.5,blue,-4e1\r\n', { format: 'csv', model: named })
  assert.deepEqual([...(set.inputs.get('x')?.data ?? [])], [1, 2, 3.5, -40])
  assert.deepEqual([...set.targets.data], [0n, 2n])
  assert.deepEqual([...set.lines], [2, 3])
  const inOne = await read('input,target\n"[1,2]",3\n"[4,5]","6"\n', {
    format: 'csv',
    model: one,
    parameters: { loss: 'mean_squared' },
  })
  assert.deepEqual([...inOne.targets.data], [3, 6])
})

test('Parquet, in each compression', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-examples-'))
  t.after(() => rm(folder, { recursive: true }))
  const database = await (await DuckDBInstance.create()).connect()
  const write = async (query: string, codec = 'snappy') => {
    await database.run(`COPY (${query}) TO '${folder}/t.parquet' (FORMAT parquet, COMPRESSION ${codec})`)
    return readFile(`${folder}/t.parquet`)
  }
  const query = 'SELECT i / 4 AS a, i AS b, i % 3 AS label FROM range(3000) t(i)'
  for (const codec of ['uncompressed', 'snappy', 'gzip', 'zstd', 'brotli']) {
    const set = await read(await write(query, codec), { format: 'parquet' })
    assert.equal(set.count, 3000, codec)
    assert.deepEqual([...(set.inputs.get('x')?.data ?? [])].slice(-2), [749.75, 2999], codec)
    assert.deepEqual([...set.targets.data].slice(-3), [0n, 1n, 2n])
  }
  const lists = await read(
    await write(`SELECT [i, 2] AS input, ['red', 'blue'][i % 2 + 1] AS label FROM range(4) t(i)`),
    {
      format: 'parquet',
      model: named,
    },
  )
  assert.deepEqual([...(lists.inputs.get('x')?.data ?? [])], [0, 2, 1, 2, 2, 2, 3, 2])
  const gap = await write('SELECT i AS a, 1 AS b, CASE WHEN i = 2 THEN NULL ELSE i % 2 END AS label FROM range(4) t(i)')
  await refused(gap, 'line 3, column `label`: is missing', { format: 'parquet' })
  const whole = await write(query)
  await refused(whole, 'line 11: there are more than 10 examples', { format: 'parquet', mostExamples: 10 })
  for (const end of [0, 3, 12, 200, whole.length - 9]) {
    await assert.rejects(read(whole.subarray(0, end), { format: 'parquet' }), ExamplesInvalid)
  }
})

async function refused(content: string | Uint8Array, says: string, options: Case = {}) {
  await assert.rejects(read(content, options), (error: unknown) => {
    assert.ok(error instanceof ExamplesInvalid, String(error))
    assert.equal(error.message, says)
    return true
  })
}

const good = { input: [1, 2], label: 0 }
const csv = { format: 'csv' } as const
const wrong: [what: string, content: string | Uint8Array, says: string, options?: Case][] = [
  ['nothing', '', 'line 1: there are no examples'],
  ['a header alone', 'a,b,label\n', 'line 1: there are no examples', csv],
  [
    'a line that is cut off',
    `${lines(good)}\n{"input":[1`,
    "line 2: is not JSON: Expected ',' or ']' after array element in JSON at position 11 (line 1 column 12)",
  ],
  [
    'NaN',
    `${lines(good)}\n{"input":[NaN,1],"label":0}`,
    `line 2: is not JSON: Unexpected token 'N', ..."{"input":[NaN,1],"la"... is not valid JSON`,
  ],
  ['a list for a line', '[1,2]', 'line 1: must be a JSON object with `input` and `label` or `target`'],
  ['bytes that are no text', Buffer.from([0x7b, 0xff]), 'line 1: is not UTF-8'],
  [
    'no target',
    lines({ input: [1, 2], class: 1 }),
    'line 1, column `label`: is missing, and so is `target`; there are: input, class',
  ],
  [
    'two targets',
    lines({ ...good, target: 1 }),
    'line 1, column `label`: there is `target` beside it: an example has one of both',
  ],
  ['a label that is missing', lines(good, { input: [1, 2] }), 'line 2, column `label`: is missing'],
  ['a label that is null', lines(good, { ...good, label: null }), 'line 2, column `label`: is missing'],
  ['no input', lines(good, { label: 1 }), 'line 2, column `input`: is missing'],
  [
    'a field that is not known',
    lines({ ...good, weight: 1 }),
    'line 1, column `weight`: is not known; an example has `input` and `label` or `target`',
  ],
  [
    'numbers that are too few',
    lines({ ...good, input: [1] }),
    'line 1, column `input`: the input `x` has shape [1]; the model takes shape [2]',
  ],
  [
    'numbers that are fewer than before',
    lines({ ...good, input: [1, 2] }, { ...good, input: [1] }),
    'line 2, column `input`: the input `x` has shape [1]; the examples before have shape [2]',
    { model: { ...three, inputs: [spec('x', [-1, -1])] } },
  ],
  [
    'an input of too many levels',
    `{"input":${'{"x":'.repeat(50_000)}1${'}'.repeat(50_000)},"label":0}`,
    'line 1, column `input`: is nested too deeply',
  ],
  [
    'a number that is a word',
    lines({ ...good, input: [1, 'x'] }),
    'line 1, column `input`: number 1 is "x", which is no finite number',
  ],
  [
    'a number beyond float32',
    lines({ ...good, input: [1, 1e39] }),
    'line 1, column `input`: number 1 is 1e+39, which is no float32',
  ],
  [
    'an empty input',
    lines({ ...good, input: [] }),
    'line 1, column `input`: the input `x` is empty',
    { model: { ...three, inputs: [spec('x', [-1, -1])] } },
  ],
  [
    'lists of two lengths',
    lines({ ...good, input: [[1, 2], [1]] }),
    'line 1, column `input`: its lists are not all of the same length',
  ],
  [
    'a class beyond the model',
    lines(good, { ...good, label: 3 }),
    'line 2, column `label`: is 3; it must be a class, which is a whole number from 0 to 2',
  ],
  [
    'half a class',
    lines({ ...good, label: 0.5 }),
    'line 1, column `label`: is 0.5; it must be a class, which is a whole number from 0 to 2',
  ],
  [
    'a name that is not known',
    lines({ ...good, label: 'pink' }),
    'line 1, column `label`: is "pink"; it must be a class, which is a whole number from 0 to 2, or one of red, green, blue',
    { model: named },
  ],
  [
    'one class',
    lines(good, good, good),
    'line 3, column `label`: all examples from line 1 on have one class; two are needed',
  ],
  [
    'two classes of an example',
    lines({ ...good, label: [0, 1] }),
    'line 1, column `label`: has 2 elements; the model and the examples before have 1',
  ],
  [
    'a target that is not finite',
    lines({ input: [1, 2], target: '1e400' }),
    'line 1, column `target`: is "1e400"; it must be a finite number',
    { model: one, parameters: { loss: 'mean_squared' } },
  ],
  ['too many', lines(good, { ...good, label: 1 }, good), 'line 3: there are more than 2 examples', { mostExamples: 2 }],
  [
    'a column too many',
    'a,b,c,label\n1,2,3,0\n',
    'line 2: the table has 3 columns beside the target; the model takes 2 numbers',
    csv,
  ],
  ['an empty cell', 'a,b,label\n1,2,0\n1,,1\n', 'line 3, column `b`: is missing', csv],
  ['NaN in a cell', 'a,b,label\n1,NaN,0\n', 'line 2, column `b`: number 1 is "NaN", which is no finite number', csv],
  ['an empty label', 'a,b,label\n1,2,\n', 'line 2, column `label`: is missing', csv],
  ['bytes of another format', Buffer.from('a,b,label\n1,\0,0\n'), 'the file is neither Parquet nor text in UTF-8', csv],
  ['UTF-16', Buffer.from('a,b,label\n1,2,0\n', 'utf16le'), 'the file is neither Parquet nor text in UTF-8', csv],
  ['two columns of one name', 'a,a,label\n1,2,0\n', 'line 1: two columns are named `a`', csv],
  [
    'a row that is too short',
    'a,b,label\n1,2,0\n1,2\n',
    'line 3: is not CSV: Invalid Record Length: expect 3, got 2 on line 3',
    csv,
  ],
]
for (const [what, content, says, options] of wrong) test(what, () => refused(content, says, options))

test('examples that more lines could make valid are told from those that none could', async () => {
  const header = 'a,b,label\n'
  for (const [content, needsMore, options] of [
    ['', true],
    [header, true, csv],
    [`${header}1,"2`, true, csv],
    [lines(good, good), true],
    [`${header}1,2\n`, false, csv],
    [lines(good, { ...good, label: 3 }), false],
  ] as const)
    await assert.rejects(read(content, options), { name: 'ExamplesInvalid', needsMore }, content)
})

test('a file of ten million lines is read no further than its bound', async () => {
  let sent = 0
  async function* endless() {
    const some = Buffer.from(`${lines(good)}\n`.repeat(1000))
    for (; sent < 10_000_000; sent += 1000) yield some
  }
  const checked = checkParameters({}, three)
  assert.ok('parameters' in checked)
  const options = { format: 'jsonl', model: three, parameters: checked.parameters, mostExamples: 5_000 } as const
  await assert.rejects(readExamples(endless(), options), { line: 5_001 })
  assert.ok(sent <= 6_000)
})

test('the format is told by the first bytes and the media type', () => {
  assert.equal(exampleFormatOf(Buffer.from('PAR1…'), 'text/csv'), 'parquet')
  assert.equal(exampleFormatOf(Buffer.from('\ufeff {"input":1}')), 'jsonl')
  assert.equal(exampleFormatOf(Buffer.from('[{"input":1}]')), 'jsonl')
  assert.equal(exampleFormatOf(Buffer.from('a,label')), 'csv')
  assert.equal(exampleFormatOf(Buffer.from('{a,label'), 'text/csv; charset=utf-8'), 'csv')
})
