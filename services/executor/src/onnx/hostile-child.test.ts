/** A child process that a model or an input has compromised does nothing to the service. */

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Emission, LoadFailed, RunnerGone } from '@millhand/child-process'
import { MAX_MESSAGE_BYTES, mostInline } from '../result-limit.ts'
import { MOST_ON_THEIR_WAY } from './emit-window.ts'
import { PORTION_CHARACTERS } from './input-portions.ts'
import { item, load, shippedModel, start } from './models.fixture.ts'
import { MAX_OUTPUT_BYTES } from './output-limit.ts'

/** It does with a run what the input says, and loads without end what is labelled so. */
const CHILD = `
  const { openChannel } = require(${JSON.stringify(fileURLToPath(import.meta.resolve('@millhand/child-process/child')))})
  const fs = require('node:fs')
  const say = openChannel(message => {
    while (message.labels?.[0] === 'endless');
    if (message.kind === 'load') say({ kind: 'loaded' })
    if (message.kind === 'run') eval(message.inputs[0])
  })
  const emit = (emission, item = 0) => say({ kind: 'emission', item, emission })
  const line = { kind: 'log', text: 'x' }
  const done = (lie = {}) => say({ kind: 'done', items: [null], ...lie }, ['1'])
  const write = bytes => { while (bytes.length > 0) bytes = bytes.subarray(fs.writeSync(3, bytes)) }
  const length = bytes => { const it = Buffer.alloc(4); it.writeUInt32LE(bytes); return it }
  const parts = (...all) => Buffer.concat([length(all.length), ...all.map(one => length(one.length)), ...all.map(one => Buffer.from(one))])
  const framed = bytes => Buffer.concat([length(bytes.length), bytes])`

const { PATH } = process.env
let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millhand-hostile-'))
  await writeFile(join(folder, 'child.cjs'), CHILD)
  // With the limits of the child that it stands for.
  const script = `#!/bin/sh\nexec /bin/sh -c "$2" "$3" "$4" "$5" "$6" "${process.execPath}" "${join(folder, 'child.cjs')}"\n`
  await writeFile(join(folder, 'sh'), script, { mode: 0o755 })
  process.env.PATH = `${folder}:${PATH}`
})
after(async () => {
  process.env.PATH = PATH
  await rm(folder, { recursive: true })
})

const digits = shippedModel('digits')
const crashed = (error: unknown) => error instanceof RunnerGone && error.reason === 'crashed'

test('what keeps to its bounds passes', async t => {
  const model = await load(t, digits)
  const emitted: Emission[] = []
  const run = model.run([item(`emit(line); emit({ kind: 'log', text: 'é'.repeat(9000) }); done()`)], async (_, one) => {
    emitted.push(one)
  })
  assert.deepEqual((await run).items, [{ ok: true, output: Buffer.from('1') }])
  assert.equal(emitted.length, 2)
  assert.ok(emitted.every(one => one.kind === 'log' && Buffer.byteLength(one.text) <= 8_192))
})

const skip = process.platform === 'linux' ? false : 'needs Linux, whose /proc tells what a process uses'

test('what it says of its time and memory counts for nothing', { skip }, async t => {
  const model = await load(t, digits)
  for (const lie of ['{ computeMs: 0, memoryBytes: -1e300 }', '{ computeMs: 1e308, memoryBytes: 1e308 }']) {
    const startedAt = performance.now()
    const { computeMs } = await model.run([item(`done(${lie})`)])
    assert.ok(computeMs > 0 && computeMs <= performance.now() - startedAt, `${computeMs}`)
    assert.ok(model.memoryBytes() > 20e6 && model.memoryBytes() < 2 ** 40, `${model.memoryBytes()}`)
  }
})

test('a model is broken whose loading takes the processor without end', { skip }, async () => {
  const endless = { ...digits, manifest: { ...digits.manifest, labels: ['endless'] } }
  const loading = start(endless, { loadLimits: { processorMs: 500, timeoutMs: 300_000 } })
  await assert.rejects(
    loading,
    error =>
      error instanceof LoadFailed && error.code === 'model_broken' && /took too long to load/.test(error.message),
  )
})

for (const [says, does] of [
  ['a piece that is too large', `emit({ kind: 'output', json: JSON.stringify('x'.repeat(70000)) })`],
  ['output that is no JSON', `emit({ kind: 'output', json: '"' })`],
  ['nothing that we know', `emit({ kind: 'else' })`],
  ['nothing at all', `emit(undefined)`],
  ['for an item that is not there', `emit(line, 1)`],
  ['for part of an item', `emit(line, 0.5)`],
] as const) {
  test(`who emits ${says} is ended`, async t => {
    const model = await load(t, digits)
    await assert.rejects(
      model.run([item(`${does}; done()`)], async () => {}),
      crashed,
    )
    assert.ok(crashed(await model.gone))
  })
}

const done = (fields: string, parts = '') => `say({ kind: 'done', items: [], ${fields} }, [${parts}])`
for (const [says, does] of [
  ['nothing', `say(null)`],
  ['no message', `say('done')`],
  ['what nobody knows', `say({ kind: 'else' })`],
  ['that it is loaded', `say({ kind: 'loaded' })`],
  ['that a model is broken, of any kind', `say({ kind: 'refused', message: {} })`],
  ['that no list is done', done('items: null')],
  ['that something like a list is done', done('items: { length: 1, 0: "1" }')],
  ['too little', done('items: []')],
  ['too much', done('items: [null, null]', '"1", "2"')],
  ['nothing of an item', done('items: [null]')],
  ['more than its items', done('items: [null]', '"1", "2"')],
  ['an output larger than a message may have', done('items: [null]', '"1".repeat(2 ** 18 + 1)')],
  ['something beside what has nothing beside it', `say({ kind: 'loaded' }, ['1'])`],
  ['an output where it does not belong', done('items: ["1"]')],
  ['a number of an item', done('items: [1]')],
  ['that an item is well', done('items: [{ ok: true }]')],
  ['what an item gave, as if it were ours', done('items: [{ ok: true, output: "1" }]')],
  ['that an item has a file that it made', done('items: [{ ok: true, file: { bytes: 3, handle: {} } }]')],
  ['a fault of an item that nobody knows', done('items: [{ code: "x".repeat(1e6), message: "" }]')],
  ['a fault of an item without words', done('items: [{ code: "model_failed" }]')],
  ['a fault of an item in no words', done('items: [{ code: "model_failed", message: 1 }]')],
  ['a message of Node itself', `write(framed(Buffer.from('{"cmd":"NODE_HANDLE_ACK"}')))`],
  ['a line of Node itself', `write(Buffer.from('{"cmd":"NODE_HANDLE_ACK"}\\n'))`],
  // Its first bytes are a length: one that it may have would be waited for.
  ['junk', `const junk = require('node:crypto').randomBytes(100_000); junk[3] = 255; write(junk)`],
  ['that a message of 4 GiB begins', `write(length(2 ** 32 - 1))`],
  ['an empty frame', `write(length(0)); write(framed(Buffer.alloc(0)))`],
  ['that a message has more parts than it has', `write(framed(length(2 ** 32 - 1)))`],
  ['that a message has very many parts', `write(framed(parts(...Array(5_000).fill('{}'))))`],
  ['a part that ends elsewhere', `write(framed(Buffer.concat([length(1), length(2 ** 31)])))`],
  ['no JSON', `write(framed(parts('{')))`],
  ['a head that is too large', `write(framed(parts('[' + '[],'.repeat(2 ** 21) + '[]]')))`],
  ['nothing, and closes', `fs.closeSync(3)`],
  ['how far it is, in no words', `emit({ kind: 'progress', fraction: 0.5, message: [1] }); done()`],
  ['how far it is, in no number', `emit({ kind: 'progress', fraction: {} }); done()`],
] as const) {
  test(`who says ${says} is ended, whatever it says after that`, async t => {
    const model = await load(t, digits)
    await assert.rejects(model.run([item(`${does}; done()`)]), crashed)
    assert.ok(crashed(await model.gone))
  })
}

test('of a fault its code and its words are taken, and nothing else', async t => {
  const model = await load(t, digits)
  const fault = `{ code: 'model_failed', message: 'no', ok: true, retryable: true, output: '1' }`
  const { items } = await model.run([item(done(`items: [${fault}]`))])
  assert.deepEqual(items, [{ ok: false, code: 'model_failed', message: 'no', retryable: false }])
})

test('who does not wait for room is ended, and no more than its room is held', async t => {
  const model = await load(t, digits)
  let held = 0
  const run = model.run([item('for (let i = 0; i < 100; i++) emit(line); done()')], () => {
    held++
    return new Promise(() => {})
  })
  await assert.rejects(run, crashed)
  assert.equal(held, MOST_ON_THEIR_WAY)
})

test('who talks while nobody asks is ended', async t => {
  const model = await load(t, digits)
  await model.run([item('done(); setTimeout(() => { for (let i = 0; i < 1000; i++) emit(line) }, 10)')])
  assert.ok(crashed(await model.gone))
})

test('it can write no file of any size', async t => {
  const model = await load(t, digits)
  const write = (bytes: number) =>
    `try { fs.truncateSync('output-0', ${bytes}); says = 'well' } catch (e) { says = e.code }`
  const told = (bytes: number) =>
    item(
      `const fs = require('node:fs'); fs.writeFileSync('output-0', ''); let says; ${write(bytes)}; ${done('items: [null]', 'says')}`,
    )
  const says = async (bytes: number) => (await model.run([told(bytes)])).items
  assert.deepEqual(await says(MAX_OUTPUT_BYTES), [{ ok: true, output: Buffer.from('well') }])
  assert.deepEqual(await says(2 ** 30), [{ ok: true, output: Buffer.from('EFBIG') }])
})

test('files that are more together than they may be are not kept', async t => {
  const model = await load(t, digits, { outputFilesBytes: 1_000_000 })
  const files = [
    `const fs = require('node:fs')`,
    ...[0, 1, 2].map(n => `fs.writeFileSync('output-${n}', '1'.repeat(400_000))`),
  ]
  const run = [`${files.join(';')};${done('items: Array(3).fill({ inFile: true })')}`, '', '']
  const { items } = await model.run(run.map(input => item(input)))
  assert.deepEqual(
    items.map(result => (result.ok ? 'well' : [result.code, result.retryable])),
    ['well', 'well', ['model_failed', true]],
  )
  for (const result of items) if (result.ok && 'file' in result) await result.file.handle.close()
})

test('one that answers with more than a run has room for has crashed', async t => {
  const model = await load(t, digits)
  const most = mostInline(digits.manifest.maxBatch)
  const long = `const long = '1'.repeat(${MAX_MESSAGE_BYTES}); say({ kind: 'done', items: message.inputs.map(() => null) }, message.inputs.map(() => long))`
  const enough = most / MAX_MESSAGE_BYTES
  const items = (count: number) => Array.from({ length: count }, () => item(long))
  assert.equal((await model.run(items(enough))).items.length, enough)
  // Each portion by itself has room.
  const large = { input: `${long}//${'x'.repeat(PORTION_CHARACTERS / enough - long.length)}`, parameters: undefined }
  await assert.rejects(model.run(Array.from({ length: 2 * enough }, () => large)), crashed)
})
