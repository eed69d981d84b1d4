/** Runs that share the process of a model, each a sequence of its own: with processes that say what they are asked. */
import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { type ItemResult, type Loaded, type ModelUsage, type RunItem, RunnerGone } from '@millhand/child-process'
import { GgufProcesses } from '@millhand/gguf/processes'
import { createLog } from '@millhand/telemetry'
import { describeModelRunner } from '../runner.contract.ts'
import { anyFile, textGenerator } from './gguf-models.fixture.ts'
import { ggufRunner } from './gguf-runner.ts'
import { scriptedProcesses } from './scripted-process.fixture.ts'

const file = anyFile(after)
const model = textGenerator('parrot', file)
const chat = textGenerator('chat', file, { input_format: 'json' })
const other = textGenerator('other', anyFile(after))
const never = new AbortController().signal

function openRunner(allMemoryBytes = 2 ** 31, { start, started } = scriptedProcesses(), now = () => 0) {
  const log = createLog({ level: 'error', write: () => {} })
  const processes = new GgufProcesses({ threads: 1, memoryLimitBytes: allMemoryBytes, log, start })
  const models = [model, chat, other]
  const runner = ggufRunner({ models, processes, sequences: 4, memoryLimitBytes: 2 ** 30, now })
  return { runner, processes, started }
}

const item = (input: string, parameters?: Record<string, unknown>): RunItem => ({ input, parameters })
const said = (result: ItemResult | undefined) => {
  assert.ok(result?.ok && 'output' in result, JSON.stringify(result))
  return JSON.parse(result.output.toString())
}
const ask = async (run: Loaded, one: RunItem) => (await run.run([one])).items[0]
const gone = (reason: string) => (error: unknown) => error instanceof RunnerGone && error.reason === reason

/** Until all runs have reached the process. */
async function asking(process: { asked: () => number } | undefined, count: number): Promise<void> {
  while (process?.asked() !== count) await new Promise(again => setImmediate(again))
}

describeModelRunner('models that generate text', {
  runner: () => openRunner().runner,
  model,
  streams: [item('one two'), item('three four five')],
  invalid: item('too long'),
  endless: { model, item: item('for ever', { max_tokens: 100_000 }) },
})

it('an output is the whole text, how it ended and its times, and tokens are counted as they come', async () => {
  const run = await openRunner().runner.load(model, never)
  const used: ModelUsage[] = []
  const { items } = await run.run([{ ...item('one two three'), onUsage: now => void used.push(now) }])
  assert.deepEqual(said(items[0]), {
    text: 'one two three',
    finish_reason: 'stop',
    timings: { time_to_first_token_ms: 0 },
  })
  assert.deepEqual(
    used.map(({ outputTokens }) => outputTokens),
    [1, 2, 3, 3],
  )
  assert.equal(said(await ask(run, item('one two three', { max_tokens: 2 }))).finish_reason, 'length')
  assert.equal(said(await ask(run, item('one two three', { stop: 'three' }))).text, 'one two')
})

it('with a schema the value is beside its text, where that has its end', async () => {
  const run = await openRunner().runner.load(model, never)
  const response_schema = { type: 'object', properties: { a: { type: 'integer' } } }
  assert.deepEqual(said(await ask(run, item('{"a": 1}', { response_schema }))).json, { a: 1 })
  assert.equal('json' in said(await ask(run, item('{"a": 1}', { response_schema, max_tokens: 1 }))), false)
})

it('a conversation is a list of messages, and anything else is refused', async () => {
  const run = await openRunner().runner.load(chat, never)
  const messages = [
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: 'one two' },
  ]
  assert.equal(said(await ask(run, item(JSON.stringify(messages)))).text, 'one two')
  for (const input of ['one two', '[]', '[{"role":"tool","content":"x"}]', '[{"role":"assistant","content":"x"}]']) {
    const result = await ask(run, item(input))
    assert.ok(result?.ok === false && result.code === 'model_input_invalid' && !result.retryable, input)
  }
})

it('a conversation that the template of the model refuses is a fault of the input, with its reason', async () => {
  const run = await openRunner().runner.load(chat, never)
  const messages = JSON.stringify([{ role: 'user', content: 'refused' }])
  assert.deepEqual(await ask(run, item(messages)), {
    ok: false,
    code: 'model_input_invalid',
    message: "the model's template refuses the conversation: Conversation roles must alternate",
    retryable: false,
  })
})

it('models of one file share its process', async () => {
  const { runner, started } = openRunner()
  assert.equal(said(await ask(await runner.load(model, never), item('one'))).text, 'one')
  const messages = JSON.stringify([{ role: 'user', content: 'two' }])
  assert.equal(said(await ask(await runner.load(chat, never), item(messages))).text, 'two')
  await runner.load(other, never)
  assert.equal(started.length, 2)
})

it('runs of a model share its process, and what stops one leaves the others alone', async () => {
  const { runner, started } = openRunner()
  const [one, two] = await Promise.all([runner.load(model, never), runner.load(model, never)])
  const stopped = assert.rejects(one.run([item('for ever', { max_tokens: 100_000 })]), gone('killed'))
  const words = Array.from({ length: 500 }, (_, at) => `word${at}`).join(' ')
  const going = ask(two, item(words))
  await asking(started[0], 2)
  await one.kill()
  await stopped
  assert.equal(said(await going).text, words)
  assert.equal(started.length, 1)
})

it('a run that does not stop is ended with its process within the 2 s that a cancel may take', async () => {
  const scripted = scriptedProcesses()
  const stopTimes: number[] = []
  const start: typeof scripted.start = (options, signal) => {
    stopTimes.push(...options.contexts.map(({ stopMs }) => stopMs))
    return scripted.start(options, signal)
  }
  await openRunner(2 ** 31, { ...scripted, start }).runner.load(model, never)
  assert.ok(stopTimes.length > 0 && stopTimes.every(ms => ms > 0 && ms < 2_000), `${stopTimes}`)
})

it('a run that is stopped has its share of the time alone', async () => {
  let ms = 0
  const { runner, started } = openRunner(2 ** 31, scriptedProcesses(), () => ms)
  const runs = await Promise.all([runner.load(model, never), runner.load(model, never)])
  const ended = runs.map(run =>
    assert.rejects(run.run([item('for ever', { max_tokens: 100_000 })]), ({ computeMs }) => computeMs === 500),
  )
  await asking(started[0], 2)
  ms = 1_000
  await Promise.all(runs.map(run => run.kill()))
  await Promise.all(ended)
})

it('a crash ends the runs that share the process, and the next starts another', async () => {
  const { runner, started } = openRunner()
  const runs = await Promise.all([runner.load(model, never), runner.load(model, never)])
  const ended = runs.map(run => assert.rejects(run.run([item('for ever', { max_tokens: 100_000 })]), gone('crashed')))
  await asking(started[0], 2)
  started[0]?.crash()
  await Promise.all(ended)
  for (const run of runs) assert.equal((await run.gone).reason, 'crashed')
  assert.equal(said(await ask(await runner.load(model, never), item('again'))).text, 'again')
  assert.equal(started.length, 2)
})

it('an idle model makes room for another, and one in use stays', async () => {
  const { runner, started } = openRunner(1)
  const run = await runner.load(model, never)
  await ask(run, item('one'))
  const next = await runner.load(other, never)
  assert.equal((await run.gone).reason, 'killed')
  const going = next.run([item('for ever', { max_tokens: 100_000 })])
  await asking(started[1], 1)
  await runner.load(chat, never)
  assert.equal(started[1]?.asked(), 1)
  await Promise.all([assert.rejects(going, gone('killed')), next.kill()])
})

it('a load that nobody waits for any more takes no other with it', async () => {
  const scripted = scriptedProcesses()
  const loading = Promise.withResolvers<void>()
  const { runner, started } = openRunner(2 ** 31, {
    started: scripted.started,
    async start(options, signal) {
      if (started.length > 0 || signal === undefined) return await scripted.start(options, signal)
      loading.resolve()
      await new Promise(stopping => signal.addEventListener('abort', stopping))
      const one = await scripted.start(options)
      await new Promise(again => setImmediate(again))
      await one.kill()
      throw await one.gone
    },
  })
  const unwanted = new AbortController()
  const first = assert.rejects(runner.load(model, unwanted.signal), gone('killed'))
  await loading.promise
  unwanted.abort()
  await first
  assert.equal(said(await ask(await runner.load(model, never), item('one'))).text, 'one')
  assert.equal(started.length, 2)
})

it('its runs end with the processes, and it loads nothing more', async () => {
  const { runner, processes } = openRunner()
  const run = await runner.load(model, never)
  await processes.close()
  assert.equal((await run.gone).reason, 'killed')
  await assert.rejects(runner.load(model, never), gone('killed'))
})
