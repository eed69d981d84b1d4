/** Sentence embeddings by a model of the BERT family: texts become tokens, and tokens a vector. */
import { readFile } from 'node:fs/promises'
import { openSession, type Session, type SessionOptions } from '@millhand/onnxruntime'
import { encoderInputs, MOST_TOKENS, openTokenizer, type TokenizedText } from './tokens.ts'

export interface SentenceEncoder {
  tokenize(text: string): TokenizedText
  /** One vector of length 1 for each text, in their order. All texts are in one run of the model. */
  encode(texts: readonly TokenizedText[]): Promise<Float32Array[]>
}

export interface EncoderFiles extends SessionOptions {
  /** An ONNX file with the inputs `input_ids`, `attention_mask` and, where it has a third, `token_type_ids`. */
  readonly model: string
  /** As Hugging Face's tokenizers write it. */
  readonly tokenizer: string
}

/** Of one run, padding included: it takes 0.3 s on a busy core, and is what a stop waits for. */
const RUN_TOKENS = 1_024

/** Rejects with what says why it is no such model. */
export async function openEncoder({ model, tokenizer, ...session }: EncoderFiles): Promise<SentenceEncoder> {
  const tokenize = openTokenizer(await readFile(tokenizer, 'utf8'))
  const encode = encoder(await openSession(model, session))
  // Its first run is slow, and a model that can't read so many tokens says so now.
  await encode([tokenize('a'), tokenize('word '.repeat(MOST_TOKENS))])
  return { tokenize, encode }
}

/** Texts for one run each, of like length, so that little of a run is padding. */
export function* batchesOf<T extends TokenizedText>(texts: readonly T[]): Generator<readonly T[]> {
  const sorted = texts.toSorted((one, other) => one.tokens.length - other.tokens.length)
  let batch: T[] = []
  for (const text of sorted) {
    if (text.tokens.length * (batch.length + 1) > RUN_TOKENS && batch.length > 0) {
      yield batch
      batch = []
    }
    batch.push(text)
  }
  if (batch.length > 0) yield batch
}

function encoder({ inputs, outputs, run }: Session): SentenceEncoder['encode'] {
  const names = inputs.map(({ name }) => name)
  if (!names.includes('input_ids') || !names.includes('attention_mask') || names.some(name => !INPUTS.has(name)))
    throw new Error(`its inputs are ${names.join(', ')}, and not input_ids, attention_mask and perhaps token_type_ids`)
  const output = outputs.find(({ name }) => name === OUTPUT)?.name
  if (output === undefined) throw new Error(`it has no output ${OUTPUT}`)

  return async texts => {
    const length = Math.max(...texts.map(({ tokens }) => tokens.length))
    const feeds = encoderInputs(names, texts)
    const { dtype, shape, data } = (await run(feeds)).get(output) ?? { shape: [] }
    const [, , width = 0] = shape
    if (dtype !== 'float32' || shape.length !== 3 || width < 1)
      throw new Error(`its output ${OUTPUT} is not [texts, tokens, width] of float32`)
    return texts.map(({ tokens }, text) =>
      mean((data as Float32Array).subarray(text * length * width), tokens.length, width),
    )
  }
}

const INPUTS: ReadonlySet<string> = new Set(['input_ids', 'attention_mask', 'token_type_ids'])
const OUTPUT = 'last_hidden_state'

/** Of the first `count` rows, at length 1. */
function mean(rows: Float32Array, count: number, width: number): Float32Array {
  const sum = new Float32Array(width)
  for (let row = 0; row < count; row++)
    for (let at = 0; at < width; at++) sum[at] = (sum[at] as number) + (rows[row * width + at] as number)
  const length = Math.hypot(...sum)
  if (!(length > 0 && Number.isFinite(length))) throw new Error('it gives vectors of no length')
  return sum.map(value => value / length)
}
