/** A sentence model of BERT's kind that is loaded in this process: its tokens, its vectors. */
import { readFile } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { Tokenizer } from '@huggingface/tokenizers'
import { openSession, type Session } from '@millhand/onnxruntime'
import { type Load, MOST_WIDTH } from './protocol.ts'
import { vectorCache } from './vector-cache.ts'

export interface LoadedModel {
  /** One unit vector a text. Between two texts, and two batches, it looks at the signal: undefined once that fired. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[] | undefined>
}

/** By what sentence models are trained on: more dilutes. The first is `[CLS]`, the last `[SEP]`. */
const MOST_PIECES = 256
/** Of one run, with what stands for nothing: it takes some 0.3 s on a busy core, and is what a stop waits for. */
const BATCH_PIECES = 1_024
const CACHE_BYTES = 64 * 2 ** 20

/** Throws what says why it is none of these models. */
export async function loadModel({ model, tokenizer, threads }: Load): Promise<LoadedModel> {
  const pieces = await openTokenizer(tokenizer)
  // Without its vocabulary every word is the same unknown one, and every text like every other.
  if (String(pieces('one')) === String(pieces('two'))) throw new Error('its tokenizer does not tell words apart')
  const session = await openSession(model, threads)
  const run = runner(session)
  const cache = vectorCache(CACHE_BYTES)
  // Its first run is slow, and one that can't read so many says so now.
  await run([pieces('a'), pieces('word '.repeat(MOST_PIECES))])

  return {
    async embed(texts, signal) {
      const vectors = new Map<string, Float32Array>()
      for (const text of texts) {
        const known = cache.get(text)
        if (known !== undefined) vectors.set(text, known)
      }
      const unknown: Tokenized[] = []
      for (const text of new Set(texts)) {
        if (vectors.has(text)) continue
        if (await heard(signal)) return undefined
        unknown.push({ text, pieces: pieces(text) })
      }
      for (const batch of batches(unknown)) {
        if (await heard(signal)) return undefined
        const made = await run(batch.map(({ pieces }) => pieces))
        for (const [at, { text }] of batch.entries()) {
          const vector = made[at] as Float32Array
          cache.set(text, vector)
          vectors.set(text, vector)
        }
      }
      return texts.map(text => vectors.get(text) as Float32Array)
    },
  }
}

/** Whether it is to stop. Tokenizing blocks this process as runs do: what has come meanwhile is heard here. */
async function heard(signal: AbortSignal): Promise<boolean> {
  await setImmediate()
  return signal.aborted
}

async function openTokenizer(file: string): Promise<(text: string) => readonly number[]> {
  const tokenizer = new Tokenizer(JSON.parse(await readFile(file, 'utf8')), {})
  return text => {
    const { ids } = tokenizer.encode(text)
    return ids.length <= MOST_PIECES ? ids : [...ids.slice(0, MOST_PIECES - 1), ids.at(-1) as number]
  }
}

interface Tokenized {
  readonly text: string
  readonly pieces: readonly number[]
}

/** Of like length, so that little of a batch stands for nothing. */
function* batches(texts: readonly Tokenized[]): Generator<readonly Tokenized[]> {
  const sorted = texts.toSorted((one, other) => one.pieces.length - other.pieces.length)
  let batch: Tokenized[] = []
  for (const text of sorted) {
    if (text.pieces.length * (batch.length + 1) > BATCH_PIECES && batch.length > 0) {
      yield batch
      batch = []
    }
    batch.push(text)
  }
  if (batch.length > 0) yield batch
}

function runner({ inputs, outputs, run }: Session) {
  const names = inputs.map(({ name }) => name)
  if (!names.includes('input_ids') || !names.includes('attention_mask') || names.some(name => !INPUTS.has(name)))
    throw new Error(`its inputs are ${names.join(', ')}, and not input_ids, attention_mask and perhaps token_type_ids`)
  const output = outputs.find(({ name }) => name === OUTPUT)?.name
  if (output === undefined) throw new Error(`it has no output ${OUTPUT}`)

  return async (texts: readonly (readonly number[])[]): Promise<Float32Array[]> => {
    const length = Math.max(...texts.map(({ length }) => length))
    const tensor = (numberAt: (pieces: readonly number[], at: number) => number) => ({
      dtype: 'int64' as const,
      shape: [texts.length, length],
      data: BigInt64Array.from(
        texts.flatMap(pieces => Array.from({ length }, (_, at) => BigInt(numberAt(pieces, at)))),
      ),
    })
    const given = {
      input_ids: () => tensor((pieces, at) => pieces[at] ?? 0),
      attention_mask: () => tensor((pieces, at) => (at < pieces.length ? 1 : 0)),
      token_type_ids: () => tensor(() => 0),
    }
    const feeds = new Map(names.map(name => [name, given[name as keyof typeof given]()]))
    const { dtype, shape, data } = (await run(feeds)).get(output) ?? { shape: [] }
    const [, , width = 0] = shape
    if (dtype !== 'float32' || shape.length !== 3 || width < 1 || width > MOST_WIDTH)
      throw new Error(`its output ${OUTPUT} is not [texts, tokens, width] of float32`)
    return texts.map((pieces, text) =>
      mean((data as Float32Array).subarray(text * length * width), pieces.length, width),
    )
  }
}

const INPUTS: ReadonlySet<string> = new Set(['input_ids', 'attention_mask', 'token_type_ids'])
const OUTPUT = 'last_hidden_state'

/** Of the first `count` rows, at unit length. */
function mean(rows: Float32Array, count: number, width: number): Float32Array {
  const sum = new Float32Array(width)
  for (let row = 0; row < count; row++)
    for (let at = 0; at < width; at++) sum[at] = (sum[at] as number) + (rows[row * width + at] as number)
  const length = Math.hypot(...sum)
  if (!(length > 0 && Number.isFinite(length))) throw new Error('it gives vectors of no length')
  return sum.map(value => value / length)
}
