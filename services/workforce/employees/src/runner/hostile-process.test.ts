/** What the process of a kind may do to the executor once it is compromised: end itself. */
import assert from 'node:assert/strict'
import { platform } from 'node:process'
import { describe, it } from 'node:test'
import { RunnerGone } from '@millhand/child-process'
import { createLog } from '@millhand/telemetry'
import type { LanguageModel } from './language-model.ts'
import { item, load, outcome } from './tester.fixture.ts'

const crashed = (error: unknown) => error instanceof RunnerGone && error.reason === 'crashed'
const log = createLog({ level: 'error', write: () => {} })

const told = { citations: [], warnings: [], checks: [], files: [] }
const well = '{"said":"well"}'
const made = (fields: object, parts: readonly string[] = [well, 'well']) => ({
  messages: [{ head: { kind: 'made', made: { ...told, ...fields } }, parts }],
})
const file = { name: 'a.txt', mediaType: 'text/plain' }
const raw = (...bytes: readonly Buffer[]) => ({ raw: Buffer.concat(bytes).toString('base64') })
const length = (bytes: number) => Buffer.from(Uint32Array.of(bytes).buffer)

for (const [says, input] of [
  ['a message of Node itself', raw(Buffer.from('{"cmd":"NODE_HANDLE_ACK"}\n'))],
  ['that a message of 4 GiB begins', raw(length(2 ** 32 - 1))],
  ['that a message of 100 MiB begins', raw(length(100 * 2 ** 20))],
  ['a message of nothing', raw(length(0))],
  ['no JSON', raw(length(9), length(1), length(1), Buffer.from('{'))],
  ['what nobody knows', { messages: [{ head: { kind: 'else' } }] }],
  ['no message', { messages: [{ head: null }] }],
  ['that it is loaded, once more', { messages: [{ head: { kind: 'loaded' } }] }],
  ['a question of a run by rules', { messages: [{ head: { kind: 'question' }, parts: ['Who are you?'] }] }],
  [
    'a question for vectors that its kind may not ask',
    { messages: [{ head: { kind: 'embed' }, parts: ['Who are you?'] }] },
  ],
  ['a question for vectors of nothing', { messages: [{ head: { kind: 'embed' } }] }],
  ['a result that is not by the output schema', made({}, ['{"said":"lies"}', ''])],
  ['a result that is no JSON', made({}, ['{"said":"well"', ''])],
  ['a result of 9 MiB', made({}, [`{"said":"well"${' '.repeat(9 * 2 ** 20)}}`, ''])],
  ['nothing of its result', made({}, [])],
  ['a file whose name leads elsewhere', made({ files: [{ ...file, name: '../a.txt' }] }, [well, '', 'a'])],
  ['a file of no media type', made({ files: [{ ...file, mediaType: 'text' }] }, [well, '', 'a'])],
  ['two files of one name', made({ files: [file, file] }, [well, '', 'a', 'b'])],
  ['a file that is not there', made({ files: [file] })],
  ['a file that nobody names', made({}, [well, '', 'a'])],
  ['a check that is none', made({ checks: [{ id: 'a', pass: 'yes', value: 1, target: 1 }] })],
  ['a fault of any code', { messages: [{ head: { kind: 'failed', fault: { code: '<b>', message: '' } } }] }],
] as const)
  it(`who says ${says} is ended`, async t => {
    const process = await load(t, 'tester/hostile', { log })
    await assert.rejects(process.run([item(input)]), crashed)
    assert.ok(crashed(await process.gone))
  })

it('why one that says what the protocol has not was ended stands in the log', async t => {
  const lines: string[] = []
  const log = createLog({ level: 'warn', write: line => lines.push(line), format: 'json' })
  const process = await load(t, 'tester/hostile', { log })
  await assert.rejects(process.run([item(made({}, ['{"said":"well"', '']))]), crashed)
  assert.deepEqual(
    lines.map(line => JSON.parse(line)).map(({ level, event, engine, reason }) => [level, event, engine, reason]),
    [['warn', 'engine.breach', 'tester/hostile', 'its result is no JSON']],
  )
})

it('who says more than it was asked is ended, whether it waits for the end of its run or not', async t => {
  for (const input of [
    { ...made({}), times: 1_000 },
    { ...made({}), later: true },
    { ...raw(Buffer.alloc(4)), later: true },
  ]) {
    const process = await load(t, 'tester/hostile', { log })
    const { items } = await process.run([item(input)]).catch(error => ({ items: [error] }))
    assert.ok(crashed(items[0]) || outcome(items[0]).result.said === 'well')
    assert.ok(crashed(await process.gone))
  }
})

it('who asks the language model more than it may is ended, and what it asks is answered no further', async t => {
  let asked = 0
  const languageModel: LanguageModel = {
    name: 'counts',
    model: 'none',
    allow: () => ({
      async ask() {
        asked++
        return { kind: 'told', text: well }
      },
    }),
    async close() {},
  }
  const process = await load(t, 'tester/hostile', { log, languageModel })
  await assert.rejects(process.run([item({ asks: true }, { engine: 'llm' })]), crashed)
  assert.ok(asked <= 3)
})

it('what keeps to its bounds passes', async t => {
  const process = await load(t, 'tester/hostile', { log })
  const { items } = await process.run([item({})])
  assert.deepEqual(outcome(items[0]).result, { said: 'well' })
})

describe('a process that lies about what it used', { skip: platform !== 'linux' }, () => {
  for (const lie of [
    { computeMs: 0, memoryBytes: -1e300 },
    { computeMs: 1e308, memoryBytes: 1e308 },
    { computeMs: -1, memoryBytes: 0 },
  ])
    it(`by ${JSON.stringify(lie)} is measured all the same`, async t => {
      const process = await load(t, 'tester/hostile', { log })
      assert.ok(process.memoryBytes() > 20e6)
      const startedAt = performance.now()
      const head = { kind: 'made', made: told, ...lie }
      const { items, computeMs } = await process.run([
        item({ messages: [{ head, parts: [well, 'well'] }], computes: 20 }),
      ])
      const tookMs = performance.now() - startedAt
      assert.equal(outcome(items[0]).result.said, 'well')
      assert.ok(computeMs >= 20 && computeMs <= tookMs, `${computeMs} of ${tookMs}`)
      // It may be gone by then, for what its own engine says beside that is more than it was asked.
      const memoryBytes = process.memoryBytes()
      assert.ok(memoryBytes === 0 || (memoryBytes > 20e6 && memoryBytes < 2 ** 40), `${memoryBytes}`)
    })
})
