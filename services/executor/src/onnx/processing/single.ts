/** One model: each input read by itself, those that fit together run together, each output written by itself. */

import type { RunItem } from '@millhand/child-process'
import type { NamedTensors, Processing } from '@millhand/model'
import { tensorParts } from '@millhand/model'
import { openSession, type Session } from '@millhand/onnxruntime'
import { boundedText, checkWritable } from '../output-limit.ts'
import type { LoadMessage } from '../protocol.ts'
import { batches, joinRows, splitRows } from './batch.ts'
import { classify } from './classify.ts'
import { type Processor, toError } from './processor.ts'
import { type Read, reader } from './read-input.ts'

type Single = Extract<Processing, { kind: 'single' }>

interface Feed extends NamedTensors {
  readonly index: number
}

export async function openSingle(message: LoadMessage, { preprocess, postprocess }: Single): Promise<Processor> {
  const session = await openSession(message.files.model as string, message.threads)
  const read = await reader(preprocess, session.inputs)
  const write = postprocess.name === 'classify' ? classify(postprocess, message.labels) : writeOutputs
  return {
    async run(items) {
      const results: (string | Error)[] = new Array(items.length)
      // Of many items so many at once are in memory as tensors as are run together.
      for (let from = 0; from < items.length; from += message.maxBatch) {
        const feeds = await readAll(items, from, from + message.maxBatch, read, results)
        for (const batch of message.maxBatch > 1 ? batches(feeds) : feeds.map(feed => [feed])) {
          for (const [index, result] of await runBatch(session, batch, write)) results[index] = result
        }
      }
      return results
    },
  }
}

type Write = (outputs: NamedTensors) => string

const writeOutputs: Write = ({ tensors, base64 }) => {
  checkWritable(tensors.values(), base64)
  return boundedText(tensorParts(tensors, base64))
}

async function readAll(
  items: readonly RunItem[],
  from: number,
  to: number,
  read: Read,
  results: (string | Error)[],
): Promise<Feed[]> {
  const feeds: Feed[] = []
  for (let index = from; index < Math.min(to, items.length); index++) {
    const { input } = items[index] as RunItem
    try {
      const named = read(input)
      const { tensors, base64 } = named instanceof Promise ? await named : named
      feeds.push({ tensors, base64, index })
    } catch (error) {
      results[index] = toError(error)
    }
  }
  return feeds
}

/** When a shared run fails, each item runs alone, so that only the one at fault fails. */
async function runBatch(session: Session, batch: Feed[], write: Write): Promise<[number, string | Error][]> {
  try {
    const [first] = batch as [Feed]
    const outputs =
      batch.length === 1 ? [await session.run(first.tensors)] : splitRows(await session.run(joinRows(batch)), batch)
    return batch.map(({ index, base64 }, at) => {
      return [index, written(write, { tensors: outputs[at] as Feed['tensors'], base64 })]
    })
  } catch (error) {
    if (batch.length === 1) return [[(batch[0] as Feed).index, toError(error)]]
    const alone: [number, string | Error][] = []
    for (const item of batch) alone.push(...(await runBatch(session, [item], write)))
    return alone
  }
}

function written(write: Write, outputs: NamedTensors): string | Error {
  try {
    return write(outputs)
  } catch (error) {
    return toError(error)
  }
}
