/** What the runner promises of every kind, and what one that misbehaves costs: its own task. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { pid, platform } from 'node:process'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type Loaded, LoadFailed, RunnerGone } from '@millhand/child-process'
import { createLog } from '@millhand/telemetry'
import { readCatalogue } from '../catalogue.ts'
import { faultsOf } from '../run-rules.ts'
import { kindRunner, type LoadableKind, loadableKinds } from './kind-runner.ts'
import { processorLimitMs } from './processor-limit.ts'
import { briefText, item, load, outcome, testerKinds, testRunner } from './tester.fixture.ts'

const employees = readCatalogue()
const kinds = loadableKinds(employees)
const gone = (reason: string) => (error: unknown) => error instanceof RunnerGone && error.reason === reason
const { signal: never } = new AbortController()
const log = createLog({ level: 'error' })

for (const { kinds: specs } of employees)
  for (const spec of specs.filter(({ engines }) => engines.includes('rules')))
    describe(`${spec.employee} ${spec.id}, in its process`, () => {
      const runner = kindRunner({ memoryLimitBytes: 768 * 2 ** 20, log })
      const loaded = async (use: (process: Loaded) => Promise<void>) => {
        const process = await runner.load(kinds.get(`${spec.employee}/${spec.id}`) as LoadableKind, never)
        try {
          await use(process)
        } finally {
          await process.kill()
        }
      }
      const example = { input: briefText(spec.example), parameters: { engine: 'rules' } }

      it('does its example, as its output schema says, the same each time', async () => {
        await loaded(async process => {
          const [first, second] = [await process.run([example]), await process.run([example])]
          const output = outcome(first.items[0])
          assert.equal(faultsOf(spec.output_schema, output.result), undefined)
          assert.deepEqual(output.engine, { kind: 'rules', name: `${spec.employee}/${spec.id}` })
          assert.ok(output.checks.length > 0 && output.text !== '')
          assert.deepEqual(outcome(second.items[0]), output)
        })
      })

      it('is stopped in its middle, and is gone then', async () => {
        await loaded(async process => {
          const stopped = assert.rejects(process.run([example]), gone('killed'))
          await process.kill()
          await stopped
          assert.equal(process.memoryBytes(), 0)
        })
      })
    })

it('a process stands back behind who answers callers once it is loaded, with every thread', {
  skip: platform !== 'linux' && 'needs Linux, whose /proc tells the priority of threads',
}, async t => {
  await load(t, 'tester/life')
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
  const niceness = readdirSync(`/proc/${child}/task`).map(thread => getPriority(Number(thread)))
  assert.deepEqual([...new Set(niceness)], [10])
})

describe('a kind that', () => {
  const failing = async (process: Loaded, does: string) => outcome((await process.run([item({ does })])).items[0])

  it('refuses a brief fails its task, with the place in the brief, and does the next', async t => {
    const process = await load(t, 'tester/life')
    const { code, message, retryable } = await failing(process, 'refuse')
    assert.deepEqual([code, retryable], ['brief_refused', false])
    assert.equal(message, '`input.does`: This can not be done. Say something else.')
    assert.equal((await failing(process, 'well')).result.said, 'well')
  })

  it('quotes a caller who writes of memory has not run out of it, and does the next', async t => {
    const process = await load(t, 'tester/life', { log: createLog({ level: 'error', write: () => {} }) })
    const files = ['out of memory.txt', 'bad_alloc, OOM error'].map(name => ({
      name,
      mediaType: 'text/plain',
      bytes: Buffer.from('x'),
    }))
    for (const file of files) {
      const { items } = await process.run([{ ...item({ does: 'quote' }), files: [file] }])
      const { code, message } = outcome(items[0])
      assert.deepEqual([code, message], ['brief_refused', `\`files[0]\`: The file \`${file.name}\` has no columns.`])
    }
    await assert.rejects(process.run([{ ...item({ does: 'crash quoting' }), files }]), gone('crashed'))
  })

  it('breaks fails its task, and tells no paths of this machine', async t => {
    const { code, message } = await failing(await load(t, 'tester/life'), 'fail')
    assert.equal(code, 'engine_failed')
    assert.match(message, /it broke in …/)
  })

  it('answers with paths of this machine has them left out wherever they stand', async t => {
    const process = await load(t, 'tester/life')
    const { items } = await process.run([item({ does: 'tell paths' })])
    const { result, text, warnings, citations } = outcome(items[0])
    const said = 'in … and …'
    assert.deepEqual([result.said, text, warnings, citations], [said, said, [said], [{ source: said, quote: said }]])
  })

  it('answers what its schema does not allow delivers nothing', async t => {
    assert.equal((await failing(await load(t, 'tester/life'), 'lie')).code, 'answer_invalid')
  })

  it('hangs is killed', async t => {
    const process = await load(t, 'tester/life')
    const stopped = assert.rejects(process.run([item({ does: 'hang' })]), gone('killed'))
    await process.kill()
    await stopped
  })

  for (const [does, reason] of [
    ['crash', 'crashed'],
    ['end', 'crashed'],
    ['heap', 'out_of_memory'],
    ['memory', 'out_of_memory'],
  ] as const)
    it(`ends its process by ${does} is gone as ${reason}`, { timeout: 300_000 }, async t => {
      const process = await load(t, 'tester/life', { log: createLog({ level: 'error', write: () => {} }) })
      await assert.rejects(process.run([item({ does })]), gone(reason))
      assert.equal((await process.gone).reason, reason)
    })

  it('computes for longer than it may is stopped, by the processor time of each run', {
    skip: platform !== 'linux',
    timeout: 60_000,
  }, async t => {
    const process = await load(t, 'tester/life', { processor: { base: 1, per_mib: 0 } })
    assert.equal((await failing(process, 'well')).result.said, 'well')
    await assert.rejects(
      process.run([item({ does: 'hang' })]),
      error => gone('processor_limit')(error) && /more than 1 s of processor time/.test(String(error)),
    )
  })

  it('can not be loaded is broken', async () => {
    const kind = testerKinds.get('tester/life') as LoadableKind
    const nowhere = { ...kind, spec: { ...kind.spec, folder: `${kind.spec.folder}-not-there` } }
    await assert.rejects(testRunner().load(nowhere, never), error => error instanceof LoadFailed)
    await assert.rejects(testRunner().load(kind, AbortSignal.abort()), gone('killed'))
  })
})

describe('files', () => {
  const made = async (process: Loaded, count: number, bytes: number) =>
    (await process.run([item({ does: 'files', count, bytes })])).items[0]

  it('of a brief come with it', async t => {
    const process = await load(t, 'tester/life')
    const files = [{ name: 'a.txt', mediaType: 'text/plain', bytes: Buffer.from('of a') }]
    const { items } = await process.run([{ ...item({ does: 'read' }), files }])
    assert.deepEqual(outcome(items[0]).result.files, ['a.txt text/plain of a'])
  })

  it('of an answer go out with it, by the names that the output has', async t => {
    const result = await made(await load(t, 'tester/life'), 2, 3)
    assert.ok(result?.ok && 'artifacts' in result)
    assert.deepEqual(
      result.artifacts.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()]),
      [
        ['0.txt', 'aaa'],
        ['1.txt', 'aaa'],
      ],
    )
    assert.deepEqual(outcome(result).artifacts, [
      { name: '0.txt', media_type: 'text/plain', file: 'file_0' },
      { name: '1.txt', media_type: 'text/plain', file: 'file_1' },
    ])
  })

  it('that are more, or larger, than they may be fail the task', async t => {
    const process = await load(t, 'tester/life')
    assert.ok((await made(process, 32, 2 ** 20))?.ok)
    for (const [count, bytes] of [
      [33, 1],
      [2, 33 * 2 ** 20],
    ] as const)
      assert.equal(outcome(await made(process, count, bytes)).code, 'output_too_large')
  })
})

it('a process that nobody waits for has done its example before its first brief; one that is waited for has not', async t => {
  const count = async (process: Loaded) => outcome((await process.run([item({ does: 'count' })])).items[0]).result.said
  assert.equal(await count(await load(t, 'tester/life')), '1')
  const spare = await load(t, 'tester/life')
  await setImmediate()
  assert.equal(await count(spare), '2')
  const ended = await load(t, 'tester/life')
  await setImmediate()
  await ended.kill()
  await assert.rejects(count(ended), gone('killed'))
})

it('the processor time of a run grows with its brief and files, and no kind is without a limit', () => {
  const bytes = new Uint8Array(2 ** 20)
  const files = [0, 1].map(at => ({ name: `${at}`, mediaType: 'text/plain', bytes }))
  const limit = { base: 10, per_mib: 2 }
  assert.equal(processorLimitMs(limit, { input: '', parameters: undefined }), 10_000)
  assert.equal(processorLimitMs(limit, { input: 'x'.repeat(2 ** 19), parameters: undefined, files }), 15_000)
  for (const { kinds: specs } of employees)
    for (const { employee, id } of specs) {
      const { base, per_mib } = (kinds.get(`${employee}/${id}`) as LoadableKind).processor
      assert.ok(base > 0 && base <= 120 && per_mib >= 0 && per_mib <= 60, `${employee}/${id}`)
    }
})

it('ten of a kind run at once', { timeout: 300_000 }, async t => {
  const processes = await Promise.all(Array.from({ length: 10 }, () => load(t, 'tester/life')))
  const results = await Promise.all(processes.map((process, at) => process.run([item({ does: `${at}` })])))
  assert.deepEqual(
    results.map(({ items }) => outcome(items[0]).result.said),
    Array.from({ length: 10 }, (_, at) => `${at}`),
  )
})
