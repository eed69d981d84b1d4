/** Sentence embeddings by a model of the BERT family: texts become tokens, and tokens a vector. */
import { readFile } from 'node:fs/promises'
import { Tokenizer } from '@huggingface/tokenizers'
import { openSession, type Session, type SessionOptions } from '@millhand/onnxruntime'

export interface SentenceEncoder {
  tokenize(text: string): TokenizedText
  /** One vector of length 1 for each text, in their order. All texts are in one run of the model. */
  encode(texts: readonly TokenizedText[]): Promise<Float32Array[]>
}

export interface TokenizedText {
  /** At most `MOST_TOKENS`. The first is `[CLS]`, the last `[SEP]`. */
  readonly tokens: readonly number[]
  /** Whether the text has more tokens than these. */
  readonly truncated: boolean
}

export interface EncoderFiles extends SessionOptions {
  /** An ONNX file with the inputs `input_ids`, `attention_mask` and, where it has a third, `token_type_ids`. */
  readonly model: string
  /** As Hugging Face's tokenizers write it. */
  readonly tokenizer: string
}

/** Sentence models are trained on at most so many tokens: more dilute the mean. */
export const MOST_TOKENS = 256
/** Of one run, padding included: it takes 0.3 s on a busy core, and is what a stop waits for. */
const RUN_TOKENS = 1_024

/** Rejects with what says why it is no such model. */
export async function openEncoder({ model, tokenizer, ...session }: EncoderFiles): Promise<SentenceEncoder> {
  const tokenize = await openTokenizer(tokenizer)
  // Without its vocabulary every word is the same unknown one, and every text like every other.
  if (String(tokenize('one').tokens) === String(tokenize('two').tokens)) {
    throw new Error('its tokenizer does not tell words apart')
  }
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

async function openTokenizer(file: string): Promise<SentenceEncoder['tokenize']> {
  const tokenizer = new Tokenizer(JSON.parse(await readFile(file, 'utf8')), {})
  return text => {
    const { ids } = tokenizer.encode(text)
    if (ids.length <= MOST_TOKENS) return { tokens: ids, truncated: false }
    return { tokens: [...ids.slice(0, MOST_TOKENS - 1), ids.at(-1) as number], truncated: true }
  }
}

function encoder({ inputs, outputs, run }: Session): SentenceEncoder['encode'] {
  const names = inputs.map(({ name }) => name)
  if (!names.includes('input_ids') || !names.includes('attention_mask') || names.some(name => !INPUTS.has(name)))
    throw new Error(`its inputs are ${names.join(', ')}, and not input_ids, attention_mask and perhaps token_type_ids`)
  const output = outputs.find(({ name }) => name === OUTPUT)?.name
  if (output === undefined) throw new Error(`it has no output ${OUTPUT}`)

  return async texts => {
    const length = Math.max(...texts.map(({ tokens }) => tokens.length))
    const tensor = (numberAt: (tokens: readonly number[], at: number) => number) => ({
      dtype: 'int64' as const,
      shape: [texts.length, length],
      data: BigInt64Array.from(
        texts.flatMap(({ tokens }) => Array.from({ length }, (_, at) => BigInt(numberAt(tokens, at)))),
      ),
    })
    const given = {
      input_ids: () => tensor((tokens, at) => tokens[at] ?? 0),
      attention_mask: () => tensor((tokens, at) => (at < tokens.length ? 1 : 0)),
      token_type_ids: () => tensor(() => 0),
    }
    const feeds = new Map(names.map(name => [name, given[name as keyof typeof given]()]))
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
