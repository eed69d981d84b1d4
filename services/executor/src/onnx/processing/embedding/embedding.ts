/** Vectors of what texts mean. Texts of all items run together, a few at a time. */
import type { RunItem } from '@millhand/child-process'
import { batchesOf, openEncoder, type SentenceEncoder, type TokenizedText } from '@millhand/embedding'
import { readTexts } from '@millhand/model'
import type { LoadMessage } from '../../protocol.ts'
import { textOf } from '../input.ts'
import { type Processor, toError } from '../processor.ts'

export async function openEmbedding(message: LoadMessage): Promise<Processor> {
  const { model, tokenizer } = message.files as { model: string; tokenizer: string }
  return embeddingProcessor(await openEncoder({ ...message, model, tokenizer }))
}

export function embeddingProcessor(encoder: SentenceEncoder): Processor {
  return {
    async run(items) {
      const read = await Promise.all(items.map(item => readItem(encoder, item).catch(toError)))
      await encodeAll(
        encoder,
        read.flatMap(one => (one instanceof Error ? [] : one.texts)),
      )
      return read.map(one => (one instanceof Error ? one : (faultOf(one) ?? write(one))))
    },
  }
}

interface Text extends TokenizedText {
  /** Why there is none. */
  vector: Float32Array | Error | undefined
}

interface ReadItem {
  readonly texts: readonly Text[]
  readonly isList: boolean
}

async function readItem(encoder: SentenceEncoder, { input }: RunItem): Promise<ReadItem> {
  const { texts, isList } = readTexts(typeof input === 'string' ? input : await textOf(input))
  return { isList, texts: texts.map(text => ({ ...encoder.tokenize(text), vector: undefined })) }
}

/** Where a batch fails each text runs alone, so that only the one at fault fails. */
async function encodeAll(encoder: SentenceEncoder, texts: readonly Text[]): Promise<void> {
  for (const batch of batchesOf(texts)) {
    const vectors = await encoder.encode(batch).catch(toError)
    if (vectors instanceof Error && batch.length > 1) for (const text of batch) await encodeAll(encoder, [text])
    else for (const [at, text] of batch.entries()) text.vector = vectors instanceof Error ? vectors : vectors[at]
  }
}

function faultOf({ texts }: ReadItem): Error | undefined {
  return texts.map(({ vector }) => vector).find(vector => vector instanceof Error)
}

function write({ texts, isList }: ReadItem): string {
  const embeddings = texts.map(({ tokens, truncated, vector }) => ({
    embedding: Array.from((vector ?? []) as Float32Array, rounded),
    tokens: tokens.length,
    truncated,
  }))
  return JSON.stringify(isList ? { embeddings } : embeddings[0])
}

/** Seven digits: a float32 has no more. */
const rounded = (value: number): number => Number(value.toPrecision(7))
