/** Adapters on the upper layers of all-MiniLM-L6-v2, in a process with the memory that one has by default. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { type ItemResult, type RunItem, RunnerGone } from '@millhand/child-process'
import { sentenceModelMissing, sentenceModels } from '@millhand/embedding/fixture'
import { loadCatalogue } from '@millhand/model'
import { createLog } from '@millhand/telemetry'
import { trainingRunner } from './training-runner.ts'

const MIB = 2 ** 20
/** The default of `MILLHAND_MODEL_MEMORY_MB`. */
const MEMORY_MIB = 768

const lines = readFileSync(new URL('../../../../../test/fixtures/tickets/train.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
const input = lines.slice(0, 24).join('\n')
const parameters = { train: 'lora', epochs: 2, batch_size: 8, seed: 3 }

/** Trains in a process of its own, which is killed once it has stored a checkpoint, where that is asked for. */
async function train(item: Partial<RunItem>): Promise<ItemResult> {
  const catalogue = await loadCatalogue([{ path: sentenceModels, ownedBy: 'operator' }])
  const model = catalogue.get('all-minilm-l6-v2')
  assert.ok(model?.status === 'ready')
  const log = createLog({ level: 'warn', write: line => void process.stderr.write(line) })
  const runner = trainingRunner({ memoryLimitBytes: MEMORY_MIB * MIB, log, checkpointEveryMs: 0 })
  const loaded = await runner.load(model, new AbortController().signal)
  const { storeCheckpoint } = item
  const stores = storeCheckpoint && {
    async storeCheckpoint(bytes: Uint8Array) {
      await storeCheckpoint(bytes)
      await loaded.kill()
    },
  }
  try {
    const { items } = await loaded.run([{ input, parameters, ...item, ...stores }])
    return items[0] as ItemResult
  } finally {
    await loaded.kill()
  }
}

function bytesOf(result: ItemResult): Buffer {
  assert.ok('artifacts' in result, JSON.stringify(result))
  return Buffer.from(result.artifacts[0]?.bytes ?? [])
}

describe('adapters on a sentence encoder', { skip: sentenceModelMissing }, () => {
  it('are the same bytes after a run that was killed and went on from its checkpoint', async () => {
    const whole = bytesOf(await train({}))
    let stored: Uint8Array | undefined
    const storeCheckpoint = async (bytes: Uint8Array) => {
      stored = Uint8Array.from(bytes)
    }
    await assert.rejects(train({ storeCheckpoint }), (error: unknown) => error instanceof RunnerGone)
    assert.ok(stored)
    assert.ok(stored.length < MIB * 4, `the checkpoint has ${stored.length} bytes`)
    const rest = bytesOf(await train({ files: [{ name: 'checkpoint', mediaType: '', bytes: stored }] }))
    assert.ok(rest.equals(whole))
  })

  it('take the largest batches in that memory, and with larger ones the run is refused', async () => {
    const long = JSON.stringify({ input: 'word '.repeat(300), label: 'keys' })
    const few = [...lines.slice(0, 7), long].join('\n')
    const all = { ...parameters, validation_split: 0 }
    const refused = await train({ input: few, parameters: { ...all, batch_size: 5 } })
    assert.ok(!refused.ok)
    assert.equal(refused.code, 'training_refused')
    assert.match(refused.message, /`parameters.batch_size` must be at most 4: the longest text has 256 tokens/)
    const largest = await train({ input: few, parameters: { ...all, batch_size: 4 } })
    assert.ok(largest.ok, JSON.stringify(largest))
    // Without one the batch is as large as fits: the same bytes.
    const { batch_size: _, ...unsized } = all
    const chosen = await train({ input: few, parameters: unsized })
    assert.ok(bytesOf(chosen).equals(bytesOf(largest)))
    assert.ok('artifacts' in chosen)
    assert.equal(JSON.parse(chosen.outputOf(['file_01k'])).card.parameters.batch_size, 4)
  })
})
