/** A language model in a file, with a real small one: it says nothing clever, and all of it is counted and can be stopped. */
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { LoadFailed, type ModelUsage } from '@millhand/child-process'
import { smallModel, smallModelMissing } from '@millhand/gguf/fixture'
import { GgufProcesses } from '@millhand/gguf/processes'
import { createLog } from '@millhand/telemetry'
import type { LanguageModel } from '../runner/language-model.ts'
import { ggufFault, openGguf } from './gguf-model.ts'

const lines: string[] = []
const log = createLog({ level: 'debug', write: line => lines.push(line), format: 'json' })
const processes = new GgufProcesses({ threads: 1, memoryLimitBytes: 2 ** 32, log })
const options = { processes, memoryLimitBytes: 2 ** 30, inputMicros: 1_000_000, outputMicros: 10_000_000, log }
const schema = {
  type: 'object',
  properties: {
    slug: { type: 'string', pattern: '^[a-z]+(-[a-z]+)?$' },
    mood: { enum: ['good', 'bad'] },
    said: { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string', minLength: 1, maxLength: 40 } },
  },
}
const endless = { type: 'array', minItems: 1_000, items: { type: 'string', minLength: 20, maxLength: 200 } }
const system = 'Answer with JSON.'
const never = new AbortController().signal

interface Bounds {
  readonly signal?: AbortSignal
  readonly seed?: number
  readonly maxCostMicros?: number
}

describe('a language model in a file', { skip: smallModelMissing }, () => {
  let model: LanguageModel
  before(async () => {
    model = await openGguf({ file: smallModel, ...options })
  })
  after(() => processes.close())

  function asking({ signal = never, seed = 0, maxCostMicros }: Bounds = {}) {
    const used: ModelUsage[] = []
    const limits = { onUsage: (now: ModelUsage) => void used.push(now), reserve: async () => {}, signal, seed }
    const allowance = model.allow({ ...limits, ...(maxCostMicros !== undefined && { maxCostMicros }) })
    return {
      used,
      ask: (prompt: string, form: object = schema) => allowance.ask({ system, prompt, schema: { ...form } }),
    }
  }

  it('is named after its file', () => {
    assert.deepEqual([model.name, model.model], ['gguf', 'SmolLM2-135M-Instruct.Q4_1'])
  })

  it('answers in the form asked for, and what it read and wrote is counted and paid', async () => {
    const { ask, used } = asking()
    const told = await ask('Say that spring is here.')
    assert.ok(told.kind === 'told')
    const { slug, mood, said } = JSON.parse(told.text)
    assert.match(slug, /^[a-z]+(-[a-z]+)?$/)
    assert.ok(['good', 'bad'].includes(mood))
    assert.ok(said.length === 1 || said.length === 2)
    const [{ inputTokens = 0, outputTokens = 0, costMicros = 0 } = {}] = used
    assert.ok(inputTokens > 15 && inputTokens < 60, `${inputTokens}`)
    assert.ok(outputTokens > 10 && outputTokens < 120, `${outputTokens}`)
    assert.equal(costMicros, inputTokens + 10 * outputTokens)
  })

  it('says the same again by the same seed, and something else by another', async () => {
    const say = async (seed: number) => {
      const told = await asking({ seed }).ask('Say something about the spring.')
      return told.kind === 'told' && told.text
    }
    const once = await say(1)
    assert.notEqual(await say(2), once)
    assert.equal(await say(1), once)
  })

  it('takes the marks of its own conversation, in a brief, for text', async () => {
    const [plain, marked] = [asking(), asking()]
    await plain.ask('one two three')
    await marked.ask('one <|im_end|> two <|im_start|> three')
    // As marks they would be a token each.
    assert.ok((marked.used[0]?.inputTokens ?? 0) > (plain.used[0]?.inputTokens ?? 0) + 6)
  })

  it('writes no more than may be paid', async () => {
    const { ask, used } = asking({ maxCostMicros: 600 })
    await ask('Write for ever.', endless)
    assert.ok((used[0]?.costMicros ?? 1_000) <= 600, JSON.stringify(used))
    const again = await ask('Write for ever.', endless)
    assert.ok(again.kind === 'untold' && again.fault.code === 'max_cost_reached')
  })

  it('answers two who ask at once, one after the other', async () => {
    const [one, two] = await Promise.all([asking().ask('One.'), asking().ask('Two.')])
    for (const told of [one, two]) assert.ok(told?.kind === 'told' && JSON.parse(told.text).said.length > 0)
  })

  it('stops where nobody wants the answer any more, and is free for the next', async () => {
    const stopping = new AbortController()
    const [running, waiting] = [asking({ signal: stopping.signal }), asking({ signal: stopping.signal })]
    const asked = [running.ask('Write for ever.', endless), waiting.ask('Write for ever.', endless)]
    await busy()
    stopping.abort()
    for (const told of await Promise.all(asked)) assert.equal(told.kind, 'untold')
    // It would have written some thousand tokens; a process that had to be ended for it would be another.
    const [pid] = children()
    assert.equal((await asking().ask('Say well.')).kind, 'told')
    assert.deepEqual(children(), [pid])
  })

  it('refuses what is longer than it can read', async () => {
    const told = await asking().ask('word '.repeat(9_000))
    assert.ok(told.kind === 'untold' && told.fault.code === 'model_refused' && !told.fault.retryable)
    assert.match(told.fault.message, /\d+ tokens.*at most 8128/)
  })

  it('whose process is killed fails who is asking, for another try, and is there again for the next', async () => {
    const asked = asking().ask('Write for ever.', endless)
    const pid = await busy()
    process.kill(pid, 'SIGKILL')
    const told = await asked
    assert.ok(told.kind === 'untold' && told.fault.code === 'model_unavailable' && told.fault.retryable)
    assert.equal((await asking().ask('Say well.')).kind, 'told')
    assert.notEqual(children()[0], pid)
  })

  it('has a path and questions that no log has', () => {
    assert.ok(lines.length > 0)
    for (const secret of [smallModel, 'spring is here']) assert.ok(!lines.join('').includes(secret), secret)
  })

  it('asks nothing any more once it is closed, and ends with the processes', async () => {
    await model.close()
    const told = await asking().ask('Say well.')
    assert.ok(told.kind === 'untold' && told.fault.code === 'model_unavailable')
    await processes.close()
    assert.deepEqual(children(), [])
  })
})

it('a question that the template of the file refuses is asked once, and the task is told the reason', async () => {
  let asked = 0
  const ask = async () => ({ kind: 'template_refused', id: ++asked, message: 'Roles must alternate' }) as const
  const process = { gone: new Promise<never>(() => {}), ask, hold: () => {}, release: () => {} }
  const declare = () => ({ acquire: async () => process })
  const refusing = await openGguf({ file: 'model.gguf', ...options, processes: { declare } })
  const limits = { onUsage: () => {}, reserve: async () => {}, signal: never, seed: 0 }
  const told = await refusing.allow(limits).ask({ system, prompt: 'Say well.', schema })
  assert.ok(told.kind === 'untold')
  const { code, retryable, message } = told.fault
  assert.deepEqual([code, retryable, asked], ['model_refused', false, 1])
  assert.match(message, /`engine` `rules`.* The template says: Roles must alternate$/)
})

it('a file that is no model is refused before it is loaded, and one that is broken when it is', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'millhand-gguf-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const [text, broken] = [`${folder}/text.gguf`, `${folder}/broken.gguf`]
  writeFileSync(text, 'no model at all')
  writeFileSync(broken, `GGUF${'\0'.repeat(100)}`)
  assert.match((await ggufFault(`${folder}/none.gguf`)) ?? '', /^must be a file that can be read: ENOENT/)
  assert.match((await ggufFault(folder)) ?? '', /^must be a file that can be read: EISDIR/)
  assert.match((await ggufFault(text)) ?? '', /^must be a file of the form GGUF/)
  assert.equal(await ggufFault(broken), undefined)
  const others = new GgufProcesses({ threads: 1, memoryLimitBytes: 2 ** 32, log })
  await assert.rejects(openGguf({ ...options, file: broken, processes: others }), LoadFailed)
  assert.deepEqual(children(), [])
})

/** The processes of language models that this one has started. */
function children(): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(pid => {
      try {
        const [command = '', parent = ''] = [
          readFileSync(`/proc/${pid}/cmdline`, 'utf8'),
          readFileSync(`/proc/${pid}/stat`, 'utf8'),
        ]
        return command.includes('gguf/src/child.ts') && Number(parent.split(') ')[1]?.split(' ')[1]) === process.pid
      } catch {
        return false // It has gone meanwhile.
      }
    })
}

/** The process that answers, once it has computed for a while: the question reached it. */
async function busy(): Promise<number> {
  const [pid = 0] = children()
  const start = ticks(pid)
  while (ticks(pid) < start + 30) await new Promise(resolve => setImmediate(resolve))
  return pid
}

/** Processor time of a process, in hundredths of a second. */
const ticks = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return Number(fields[11]) + Number(fields[12])
}
