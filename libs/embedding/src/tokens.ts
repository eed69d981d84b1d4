/** Texts as the tokens that a model of the BERT family takes. */
import { Tokenizer } from '@huggingface/tokenizers'
import type { Tensor } from '@millhand/model'

export interface TokenizedText {
  /** At most `MOST_TOKENS`. The first is `[CLS]`, the last `[SEP]`. */
  readonly tokens: readonly number[]
  /** Whether the text has more tokens than these. */
  readonly truncated: boolean
}

/** Sentence models are trained on at most so many tokens: more dilute the mean. */
export const MOST_TOKENS = 256

/** What is behind them is cut before it costs time: no 256 tokens of any language have so many characters. */
const MOST_CHARACTERS = 2 ** 16

/** `json`: as Hugging Face's tokenizers write it. Throws what says why it is none. */
export function openTokenizer(json: string): (text: string) => TokenizedText {
  const tokenizer = new Tokenizer(JSON.parse(json), {})
  const tokenize = (text: string): TokenizedText => {
    const { ids } = tokenizer.encode(text.slice(0, MOST_CHARACTERS))
    if (ids.length <= MOST_TOKENS) return { tokens: ids, truncated: text.length > MOST_CHARACTERS }
    return { tokens: [...ids.slice(0, MOST_TOKENS - 1), ids.at(-1) as number], truncated: true }
  }
  // Without its vocabulary every word is the same unknown one, and every text like every other.
  if (String(tokenize('one').tokens) === String(tokenize('two').tokens)) {
    throw new Error('its tokenizer does not tell words apart')
  }
  return tokenize
}

/** The tensors of a model with these inputs, a row for each text, which is filled up to the length of the longest. */
export function encoderInputs(names: readonly string[], texts: readonly TokenizedText[]): Map<string, Tensor> {
  const length = Math.max(...texts.map(({ tokens }) => tokens.length))
  const tensor = (numberAt: (tokens: readonly number[], at: number) => number): Tensor => ({
    dtype: 'int64',
    shape: [texts.length, length],
    data: BigInt64Array.from(
      texts.flatMap(({ tokens }) => Array.from({ length }, (_, at) => BigInt(numberAt(tokens, at)))),
    ),
  })
  const given: Readonly<Record<string, () => Tensor>> = {
    input_ids: () => tensor((tokens, at) => tokens[at] ?? 0),
    attention_mask: () => tensor((tokens, at) => (at < tokens.length ? 1 : 0)),
    token_type_ids: () => tensor(() => 0),
  }
  return new Map(names.flatMap(name => (given[name] ? [[name, given[name]()] as const] : [])))
}
