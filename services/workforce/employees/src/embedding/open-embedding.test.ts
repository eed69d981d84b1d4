/** A model of what sentences mean, with a real one: its vectors are those of the network, and nothing that happens to it is lost on who asks. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { LoadFailed, RunnerGone } from '@millhand/child-process'
import { referenceVectors, sentenceModel, sentenceModelMissing } from '@millhand/embedding/fixture'
import { createLog } from '@millhand/telemetry'
import { item, load, outcome } from '../runner/tester.fixture.ts'
import type { EmbeddingModel } from './embedding-model.ts'
import { embeddingFault, openEmbedding } from './open-embedding.ts'

const lines: string[] = []
const log = createLog({ level: 'debug', write: line => lines.push(line), format: 'json' })
const options = { folder: sentenceModel, threads: 1, log }
const { signal: never } = new AbortController()
/** So many different texts of so many words that it is at them for seconds. */
const long = (name: string, count = 400) => Array.from({ length: count }, (_, at) => `${name} ${at} `.repeat(100))

describe('an embedding model', { skip: sentenceModelMissing }, () => {
  let model: EmbeddingModel
  before(async () => {
    // A full machine may take long to stop: the process is the same then, too.
    model = await openEmbedding({ ...options, stopMs: 300_000 })
  })
  after(() => model?.close())

  async function vectors(texts: readonly string[]): Promise<readonly Float32Array[]> {
    const said = await model.embed(texts, never)
    assert.ok(said.kind === 'embedded')
    return said.vectors
  }

  it('gives the vectors that the network gives elsewhere, whatever text stands beside', async () => {
    const made = await vectors(referenceVectors.map(({ text }) => text))
    for (const [at, { text, vector: wanted }] of referenceVectors.entries()) {
      assert.equal(made[at]?.length, 384)
      const apart = Math.max(...wanted.map((value, place) => Math.abs(value - (made[at]?.[place] ?? Number.NaN))))
      assert.ok(apart < 1e-4, `${text}: ${apart}`)
    }
  })

  it('answers two who ask at once, each in the order of the texts, those asked before too', async () => {
    const [one, two] = await Promise.all([vectors(['One.', 'Two.', 'One.']), vectors(['Two.', 'One.'])])
    assert.deepEqual(one, [two[1], two[0], two[1]])
  })

  it('stops where nobody wants the answer any more, and is free for the next in the same process', async () => {
    const stopping = new AbortController()
    const asked = [model.embed(long('unwanted'), stopping.signal), model.embed(long('waiting'), stopping.signal)]
    const pid = await busy()
    stopping.abort()
    for (const told of await Promise.all(asked)) assert.equal(told.kind, 'unembedded')
    await vectors(['Next.'])
    assert.deepEqual(children(), [pid])
  })

  it('stops also while it makes tokens of many long texts', async () => {
    const stopping = new AbortController()
    const longest = Array.from({ length: 512 }, (_, at) => `${at} ${'中'.repeat(8_188)}`)
    const asked = model.embed(longest, stopping.signal)
    const pid = await busy()
    const start = ticks(pid)
    stopping.abort()
    assert.equal((await asked).kind, 'unembedded')
    await vectors(['Next.'])
    assert.deepEqual(children(), [pid])
    // All of them take seconds.
    assert.ok(ticks(pid) < start + 100, `${ticks(pid) - start}`)
  })

  it('whose process is killed is asked once more, and the run fails for another try where that is killed too', async () => {
    const wanted = await vectors(['Two.'])
    const once = vectors([...long('once', 40), 'Two.'])
    const first = await busy()
    process.kill(first, 'SIGKILL')
    assert.deepEqual((await once).at(-1), wanted[0])
    const twice = model.embed(long('twice'), never)
    const second = await busy()
    process.kill(second, 'SIGKILL')
    process.kill(await busy(second), 'SIGKILL')
    const told = await twice
    assert.ok(told.kind === 'unembedded' && told.fault.code === 'model_unavailable' && told.fault.retryable)
    assert.deepEqual(await vectors(['Two.']), wanted)
  })

  it('answers an engine whose kind asks for it, which cuts what is too long, and no other', async t => {
    const asking = await load(t, 'tester/life', { embeddingModel: model })
    const { items } = await asking.run([item({ does: 'embed' })])
    const [same, far] = JSON.parse(outcome(items[0]).result.said)
    assert.ok(same > 0.999 && far < 0.5, `${same} ${far}`)
    const without = await load(t, 'tester/life')
    assert.equal(outcome((await without.run([item({ does: 'embed' })])).items[0]).result.said, 'none')
    const silent = await load(t, 'tester/life', { embeddingModel: model, asks: [] })
    assert.equal(outcome((await silent.run([item({ does: 'embed' })])).items[0]).result.said, 'none')
  })

  it('is asked sixteen times by a run, and the run that asks once more is refused', async t => {
    const asking = await load(t, 'tester/life', { embeddingModel: model })
    const often = async (count: number) => outcome((await asking.run([item({ does: 'embed often', count })])).items[0])
    assert.equal((await often(16)).result.said, 'often')
    assert.equal((await often(17)).code, 'brief_refused')
    assert.equal((await often(16)).result.said, 'often')
  })

  it('is not waited for by a run that is stopped', async t => {
    const asking = await load(t, 'tester/life', { embeddingModel: model })
    const run = asking.run([item({ does: 'embed', count: 400 })])
    const pid = await busy()
    const stopped = assert.rejects(run, error => error instanceof RunnerGone && error.reason === 'killed')
    await asking.kill()
    await stopped
    await vectors(['After it.'])
    assert.deepEqual(children(), [pid])
  })

  it('has no text and no path in a log', () => {
    assert.ok(lines.length > 0)
    for (const secret of [sentenceModel, 'unwanted', 'password']) assert.ok(!lines.join('').includes(secret), secret)
  })

  it('ends with who opened it', async () => {
    await model.close()
    assert.deepEqual(children(), [])
  })

  it('that is broken when it is to start again answers nobody, says so in the log, and is there once it is mended', async t => {
    const folder = temporary(t)
    const [file, whole] = [join(folder, 'model.onnx'), join(sentenceModel, 'model.onnx')]
    symlinkSync(whole, file)
    symlinkSync(join(sentenceModel, 'tokenizer.json'), join(folder, 'tokenizer.json'))
    const swapped = await openEmbedding({ ...options, folder })
    t.after(() => swapped.close())
    rmSync(file)
    writeFileSync(file, 'no model at all')
    const earlier = lines.length
    const asked = swapped.embed(long('swapped', 40), never)
    process.kill(await busy(), 'SIGKILL')
    assert.equal((await asked).kind, 'unembedded')
    const told = lines.slice(earlier).filter(line => line.includes('embedding_model.not_loaded'))
    assert.match(told.join(''), /"reason":"engine_broken"/)
    assert.ok(!told.join('').includes(folder))
    rmSync(file)
    symlinkSync(whole, file)
    assert.equal((await swapped.embed(['Mended.'], never)).kind, 'embedded')
  })

  it('without its tokens is no model', async t => {
    const folder = temporary(t)
    symlinkSync(join(sentenceModel, 'model.onnx'), join(folder, 'model.onnx'))
    writeFileSync(join(folder, 'tokenizer.json'), '{}')
    await assert.rejects(openEmbedding({ ...options, folder }), LoadFailed)
    const { model, ...tokenizer } = JSON.parse(readFileSync(join(sentenceModel, 'tokenizer.json'), 'utf8'))
    writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify({ ...tokenizer, model: { ...model, vocab: {} } }))
    await assert.rejects(openEmbedding({ ...options, folder }), /does not tell words apart/)
  })
})

it('a folder that holds no model is refused before it is loaded, and a broken one when it is', async t => {
  const folder = temporary(t)
  assert.match((await embeddingFault(join(folder, 'none'))) ?? '', /^must be a folder .*ENOENT.*none\/model\.onnx/)
  mkdirSync(join(folder, 'model.onnx'))
  assert.match((await embeddingFault(folder)) ?? '', /model\.onnx is no file; docs\/workforce\.md/)
  rmSync(join(folder, 'model.onnx'), { recursive: true })
  writeFileSync(join(folder, 'model.onnx'), 'no model at all')
  assert.match((await embeddingFault(folder)) ?? '', /ENOENT.*tokenizer\.json/)
  writeFileSync(join(folder, 'tokenizer.json'), 'none')
  assert.match((await embeddingFault(folder)) ?? '', /tokenizer\.json is no JSON/)
  writeFileSync(join(folder, 'tokenizer.json'), '{}')
  assert.equal(await embeddingFault(folder), undefined)
  await assert.rejects(openEmbedding({ ...options, folder }), LoadFailed)
  assert.deepEqual(children(), [])
})

it('a folder that says its vectors are made otherwise than by the mean is refused', async t => {
  const folder = temporary(t)
  writeFileSync(join(folder, 'model.onnx'), '')
  writeFileSync(join(folder, 'tokenizer.json'), '{}')
  mkdirSync(join(folder, '1_Pooling'))
  const says = async (config: string) => {
    writeFileSync(join(folder, '1_Pooling/config.json'), config)
    return (await embeddingFault(folder)) ?? ''
  }
  const [cls, mean] = ['pooling_mode_cls_token', 'pooling_mode_mean_tokens']
  assert.equal(await says(JSON.stringify({ [cls]: false, [mean]: true })), '')
  assert.match(
    await says(JSON.stringify({ [cls]: true, [mean]: false })),
    /config\.json asks for pooling_mode_cls_token$/,
  )
  assert.match(await says(JSON.stringify({ [cls]: true, [mean]: true })), /asks for pooling_mode_cls_token, pooling/)
  assert.match(await says('{}'), /asks for none of the known ways/)
  assert.match(await says('none'), /can be read as JSON/)
})

function temporary(t: { after(done: () => void): void }): string {
  const folder = mkdtempSync(join(tmpdir(), 'millhand-embedding-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

/** The processes of embedding models that this one has started. */
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
        return command.includes('embedding/child.ts') && Number(parent.split(') ')[1]?.split(' ')[1]) === process.pid
      } catch {
        return false // It has gone meanwhile.
      }
    })
}

/** The process that answers, once it has computed for a while: the question reached it. Not the one that was killed. It stands back behind us, so that we look only now and then. */
async function busy(killed = 0): Promise<number> {
  let pid: number | undefined
  while (pid === undefined) {
    await setTimeout(20)
    pid = children().find(pid => pid !== killed)
  }
  const start = ticks(pid)
  while (ticks(pid) < start + 20) await setTimeout(20)
  return pid
}

/** Processor time of a process, in hundredths of a second. */
const ticks = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return Number(fields[11]) + Number(fields[12])
}
