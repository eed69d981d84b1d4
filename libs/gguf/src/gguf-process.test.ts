/** The process of a language model, with a real small one: several answers at once, their pieces, their ends. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { LoadFailed, RunnerGone } from '@millhand/child-process'
import { generationFaults } from '@millhand/model'
import { createLog } from '@millhand/telemetry'
import { type Answer, type GgufProcess, type Question, startGguf } from './gguf-process.ts'
import { MOST_UNTAKEN } from './protocol.ts'
import { smallModel, smallModelMissing } from './small-model.fixture.ts'

const log = createLog({ level: 'error', write: () => {} })
const context = { sequences: 3, contextTokens: 1_024, keepsPrefix: false, stopMs: 60_000 }
const options = { file: smallModel, threads: 1, contexts: [context], memoryLimitBytes: 2 ** 30, log }
const question = (content: string, more: Partial<Question> = {}): Question => ({
  messages: [{ role: 'user', content }],
  schema: undefined,
  ...{ maxOutputTokens: 24, seed: 1, temperature: 0, topP: 1, stop: [] },
  ...more,
})
const endless = question('Count for ever.', {
  maxOutputTokens: 100_000,
  schema: { type: 'array', minItems: 90, items: { type: 'string', minLength: 100 } },
})
/** How many tokens each text has by the file's own tokenizer. The library stays out of this process. */
function tokensOf(texts: readonly string[]): number[] {
  const script = join(import.meta.dirname, 'tokens-of.fixture.ts')
  return JSON.parse(execFileSync(globalThis.process.execPath, [script, smallModel, ...texts], { encoding: 'utf8' }))
}
/** A copy of the small model, with another template of at most as many bytes. */
function modelWithTemplate(template: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'millhand-template-'))
  after(() => rmSync(folder, { recursive: true }))
  const bytes = readFileSync(smallModel)
  // A string of GGUF: its key, its type in 4 bytes, its length in 8.
  const key = 'tokenizer.chat_template'
  const at = bytes.indexOf(key) + key.length + 4
  const length = Number(bytes.readBigUInt64LE(at))
  assert.ok(template.length <= length)
  bytes.write(template.padEnd(length), at + 8)
  const file = join(folder, 'model.gguf')
  writeFileSync(file, bytes)
  return file
}
const notLinux = globalThis.process.platform !== 'linux' && 'needs Linux, whose /proc tells what a process uses'
const gone = (reason: string) => (error: unknown) => error instanceof RunnerGone && error.reason === reason
const answered = (answer: Answer) => {
  assert.ok(answer.kind === 'answered', JSON.stringify(answer))
  return answer
}

describe('the process of a language model', { skip: smallModelMissing }, () => {
  let process: GgufProcess
  before(async () => {
    process = await startGguf(options)
  })
  after(() => process?.kill())

  /** Asks, and resolves once the answer has begun. */
  async function begun(asked: Question, signal?: AbortSignal) {
    const { promise, resolve } = Promise.withResolvers<void>()
    const answer = process.ask(asked, { signal, onPiece: async () => resolve() })
    answer.catch(() => {})
    await promise
    return { answer }
  }

  it('gives an answer in pieces, which are its text together, and counts tokens as they come', async () => {
    const pieces: string[] = []
    const counts: number[] = []
    const answer = answered(
      await process.ask(question('Name three animals — in French: «café».'), {
        async onPiece(text, { outputTokens }) {
          pieces.push(text)
          counts.push(outputTokens)
        },
      }),
    )
    assert.ok(pieces.length > 5)
    assert.equal(pieces.join(''), answer.text)
    assert.deepEqual(
      counts,
      [...counts].sort((a, b) => a - b),
    )
    assert.ok(answer.outputTokens <= 24 && answer.inputTokens > 10, JSON.stringify(answer))
  })

  it('reads messages by the template of its file, which gives a conversation without instructions some', async () => {
    const user = { role: 'user', content: 'Say hello.' } as const
    const asked = `<|im_start|>user\n${user.content}<|im_end|>\n`
    const own = 'You are a helpful AI assistant named SmolLM, trained by Hugging Face'
    const cases = [
      [[user], own, asked],
      [[{ role: 'system', content: 'Be short.' }, user], 'Be short.', asked],
      [
        [user, { role: 'assistant', content: 'Hi.' }, user],
        own,
        `${asked}<|im_start|>assistant\nHi.<|im_end|>\n${asked}`,
      ],
      [[user, user], own, `<|im_start|>user\n${user.content}\n\n${user.content}<|im_end|>\n`],
    ] as const
    const texts = cases.map(
      ([, instructions, turns]) => `<|im_start|>system\n${instructions}<|im_end|>\n${turns}<|im_start|>assistant\n`,
    )
    const expected = tokensOf(texts)
    for (const [at, [messages]] of cases.entries()) {
      const answer = answered(await process.ask(question('', { messages, maxOutputTokens: 1 })))
      assert.equal(answer.inputTokens, expected[at], texts[at])
    }
  })

  it('chooses tokens by temperature, top_p and seed', async () => {
    const say = async (more: Partial<Question>) =>
      answered(await process.ask(question('Write a sentence about the sea.', { maxOutputTokens: 16, ...more }))).text
    const greedy = await say({ temperature: 0, seed: 1 })
    assert.equal(await say({ temperature: 0, seed: 2 }), greedy)
    for (const seed of [1, 2]) assert.equal(await say({ temperature: 1, topP: 0.01, seed }), greedy)
    const first = await say({ temperature: 1, seed: 1 })
    assert.equal(await say({ temperature: 1, seed: 1 }), first)
    assert.notEqual(await say({ temperature: 1, seed: 2 }), first)
    assert.notEqual(first, greedy)
  })

  it('waits with an answer whose pieces are not taken, and with no other', async () => {
    const taking = Promise.withResolvers<void>()
    const full = Promise.withResolvers<void>()
    let pieces = 0
    const long = { ...endless, maxOutputTokens: 60 }
    const slow = process.ask(long, {
      async onPiece() {
        if (++pieces === MOST_UNTAKEN) full.resolve()
        await taking.promise
      },
    })
    await full.promise
    await process.ask(question('Say hello.'))
    assert.equal(pieces, MOST_UNTAKEN)
    taking.resolve()
    assert.equal(answered(await slow).outputTokens, 60)
    assert.ok(pieces > MOST_UNTAKEN)
  })

  it('answers more questions at once than it has sequences, each with its own text', async () => {
    const schema = (word: string) => ({ type: 'object', properties: { word: { const: word } } })
    const words = ['one', 'two', 'three', 'four', 'five']
    const answers = await Promise.all(words.map(word => process.ask(question('Say it.', { schema: schema(word) }))))
    assert.deepEqual(
      answers.map(answer => JSON.parse(answered(answer).text)),
      words.map(word => ({ word })),
    )
  })

  it('stops one answer, with what there is of it, and goes on with the other', async () => {
    const stopping = new AbortController()
    const unwanted = await begun(endless, stopping.signal)
    const other = process.ask(question('Say hello.'))
    stopping.abort()
    assert.equal(answered(await unwanted.answer).end, 'stopped')
    assert.ok(['stop', 'length'].includes(answered(await other).end))
  })

  it('ends before a stop sequence, wherever tokens have their bounds', async () => {
    const whole = answered(await process.ask(question('Say hello.'))).text
    const stop = whole.slice(4, 9)
    const cut = answered(await process.ask(question('Say hello.', { stop: [stop] })))
    assert.deepEqual([cut.text, cut.end], [whole.slice(0, whole.indexOf(stop)), 'stop'])
  })

  it('has ended at a stop sequence also where its last token may have begun another one', async () => {
    const { text } = answered(await process.ask(question('Say hello.', { maxOutputTokens: 3 })))
    const stop = [`${text}!`, text.slice(1)]
    const cut = answered(await process.ask(question('Say hello.', { maxOutputTokens: 3, stop })))
    assert.deepEqual([cut.text, cut.end], [text.slice(0, 1), 'stop'])
  })

  it('keeps nothing of a question for the next', async () => {
    await process.ask(question('Remember the word lamp.'))
    assert.equal(answered(await process.ask(question('Remember the word lamp.'))).knownTokens, 0)
  })

  it('holds to every schema that a task may have', async () => {
    for (const schema of [
      { type: 'string', maxLength: 1_000 },
      { type: 'string', minLength: 1_000 },
      { type: 'array', maxItems: 100, items: { type: 'array', maxItems: 100, items: { type: 'integer' } } },
      { type: 'array', minItems: 100, items: { type: 'string', minLength: 150, maxLength: 190 } },
      { type: 'object', properties: { 'a"\\\t\r\n]': { enum: ['"\\\t\r\n', 1e300, -0.5, null] } } },
    ]) {
      assert.deepEqual(generationFaults({ response_schema: schema }), [])
      answered(await process.ask(question('Say it.', { schema, maxOutputTokens: 1 })))
    }
  })

  it('is not kept by the process once it is given', async () => {
    setFlagsFromString('--expose-gc')
    const asked = question('Say hello.', { maxOutputTokens: 1 })
    const given = async () => new WeakRef(await process.ask(asked))
    const answers = [await given(), await given(), await given()]
    await new Promise(next => setImmediate(next))
    runInNewContext('gc')()
    assert.equal(answers[0]?.deref(), undefined)
  })

  it('refuses a question that leaves no room', async () => {
    const answer = await process.ask(question('word '.repeat(2_000)))
    assert.ok(answer.kind === 'too_long' && answer.tokens > 2_000 && answer.most < 1_024, JSON.stringify(answer))
  })

  it('asks nothing for who does not want it any more', async () => {
    const waiting = new AbortController()
    const running = await Promise.all([begun(endless), begun(endless), begun(endless)])
    const fourth = process.ask(question('Say hello.'), { signal: waiting.signal })
    waiting.abort(new Error('not wanted'))
    await assert.rejects(fourth, /not wanted/)
    await process.kill()
    for (const { answer } of running) await assert.rejects(answer, gone('killed'))
    process = await startGguf(options)
  })

  it('is killed with all of its answers where one does not stop in time', async () => {
    await process.kill()
    process = await startGguf({ ...options, contexts: [{ ...context, stopMs: 0 }] })
    const stopping = new AbortController()
    const running = [await begun(endless, stopping.signal), await begun(endless)]
    stopping.abort()
    for (const { answer } of running) await assert.rejects(answer, gone('evicted'))
    assert.equal((await process.gone).reason, 'evicted')
    await assert.rejects(process.ask(question('Say hello.')), gone('evicted'))
  })

  it('is not loaded for a signal that has fired, nor within less memory than it needs', async () => {
    await assert.rejects(startGguf(options, AbortSignal.abort()), gone('killed'))
    const small = { ...options, memoryLimitBytes: 100 * 2 ** 20 }
    await assert.rejects(startGguf(small), error => error instanceof LoadFailed || gone('out_of_memory')(error))
  })

  it('is loaded at another try where a busy machine has not loaded it in time', async () => {
    const late = startGguf({ ...options, loadLimits: { processorMs: 30_000, timeoutMs: 0 } })
    await assert.rejects(late, gone('not_started'))
    await (await startGguf(options)).kill()
  })

  it('is broken where its loading takes too much of the processor', { skip: notLinux }, async () => {
    const loading = startGguf({ ...options, loadLimits: { processorMs: 0, timeoutMs: 300_000 } })
    await assert.rejects(loading, error => error instanceof LoadFailed && /too long to load/.test(error.message))
  })
})

describe('a template that refuses messages', { skip: smallModelMissing }, () => {
  const alternating = `{%- for m in messages -%}
{%- if (m.role == 'user') != (loop.index0 % 2 == 0) -%}{{ raise_exception('Roles must alternate: ' + m.role) }}{%- endif -%}
{{ '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}
{%- endfor -%}`
  const user = { role: 'user', content: 'Say hello.' } as const
  let process: GgufProcess
  before(async () => {
    process = await startGguf({ ...options, file: modelWithTemplate(alternating) })
  })
  after(() => process?.kill())

  it('has its reason in the answer, and answers other messages', async () => {
    const messages = [{ role: 'assistant', content: 'Hi.' } as const, user]
    const { id: _, ...refused } = await process.ask(question('', { messages }))
    assert.deepEqual(refused, { kind: 'template_refused', message: 'Roles must alternate: assistant' })
    answered(await process.ask(question('', { messages: [user] })))
  })

  it('has a system message before the first one of the user, in a form of its own', async () => {
    const messages = [{ role: 'system', content: 'Be short.' } as const, user]
    const answer = answered(await process.ask(question('', { messages, maxOutputTokens: 1 })))
    const asked = `### System message\n\nBe short.\n\n----\n\n${user.content}`
    const text = `<|im_start|>user\n${asked}<|im_end|>\n<|im_start|>assistant\n`
    assert.deepEqual([answer.inputTokens], tokensOf([text]), text)
  })
})
