/** What checkpoints cost a run: steps, checkpoints as far apart as their own cost allows, and a file for each, synced to disk. */
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { runSteps } from '@millhand/executor/training'
import { openSessionOf } from '@millhand/onnxruntime'
import { checkParameters, createTrainer, readExamples, type Trainer } from '@millhand/training'
import { dense, openNetwork } from '@millhand/training/fixture'
import { median } from '../figure.ts'

export interface CheckpointCost {
  /** What one costs of the time from the end of the one before to its own, in percent. */
  readonly share: number
  readonly ms: number
  readonly bytes: number
}

const CHECKPOINTS = 4
const BATCH = 32

/** Trains a perceptron 64-1024-1024-10, of 1.1 million weights, until it has stored some checkpoints. */
export async function checkpointCost(folder: string): Promise<CheckpointCost> {
  const trainer = await openTrainer()
  const costs: { readonly ms: number; readonly at: number }[] = []
  let [bytes, startedAt] = [0, 0]
  const isOver = () => costs.length === CHECKPOINTS
  const timed: Trainer = {
    ...trainer,
    progress: () => ({ ...trainer.progress(), done: isOver() }),
    step: async () => ({ ...(await trainer.step()), done: isOver() }),
    checkpoint() {
      startedAt = performance.now()
      return trainer.checkpoint()
    },
  }
  await runSteps(timed, {
    checkpointEveryMs: 0,
    saysBest: false,
    now: () => performance.now(),
    async say({ kind }, [part] = []) {
      if (kind !== 'checkpoint' || !part) return
      await using file = await open(join(folder, `checkpoint-${costs.length}`), 'wx')
      await file.writeFile(part)
      await file.sync()
      const at = performance.now()
      costs.push({ ms: at - startedAt, at })
      bytes = part.length
    },
  })
  // Nothing is before the first that could pay for it.
  const shares = costs.slice(1).map(({ ms, at }, before) => (100 * ms) / (at - (costs[before]?.at ?? 0)))
  return { share: median(shares), ms: median(costs.map(({ ms }) => ms)), bytes }
}

async function openTrainer(): Promise<Trainer> {
  const network = openNetwork({ seed: 1 })
  const first = network.node('Relu', [dense(network, network.input('x', [BATCH, 64]), 64, 1024)])
  const output = dense(network, network.node('Relu', [dense(network, first, 1024, 1024)]), 1024, 10)
  const spec = (name: string, width: number) => ({ name, dtype: 'float32', shape: [-1, width] }) as const
  const model = { inputs: [spec('x', 64)], outputs: [spec(output, 10)] }
  const checked = checkParameters({ epochs: 1000, batch_size: BATCH }, model)
  if ('problems' in checked) throw new Error(JSON.stringify(checked.problems))
  const { parameters } = checked
  const line = (at: number) => ({
    input: Array.from({ length: 64 }, (_, i) => ((at * 31 + i * 7) % 17) / 17),
    label: at % 10,
  })
  const lines = Array.from({ length: 64 * BATCH }, (_, at) => JSON.stringify(line(at))).join('\n')
  const examples = await readExamples(Buffer.from(lines), { format: 'jsonl', model, parameters })
  return await createTrainer({
    ...{ bytes: network.bytes(output), model, examples, parameters, hasBatchSize: true },
    ...{ parent: { model: 'bench', digest: '' }, versions: {} },
    open: bytes => openSessionOf(bytes, { threads: 1 }),
  })
}
