/** The embedding model that tests run: all-MiniLM-L6-v2, made by `deploy/optional-models/all-minilm-l6-v2/install.sh`. */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../../..')

/** A models folder, whose one model it is. */
export const sentenceModels = join(root, '.venv/models')

export const sentenceModel = join(sentenceModels, 'all-minilm-l6-v2')

/** Why a test of it can't run here, for `skip`: in CI none may be skipped. */
export const sentenceModelMissing: string | false =
  !existsSync(sentenceModel) &&
  process.env.CI !== 'true' &&
  'needs .venv/models/all-minilm-l6-v2: bash deploy/optional-models/all-minilm-l6-v2/install.sh .venv/models'

interface ReferenceVector {
  readonly text: string
  /** 384 numbers, of length 1. */
  readonly vector: Float32Array
}

/** Vectors that numpy gives with the tokens of Hugging Face's tokenizers, from the same weights. */
export const referenceVectors: readonly ReferenceVector[] = JSON.parse(
  readFileSync(join(root, 'deploy/optional-models/all-minilm-l6-v2/reference.json'), 'utf8'),
).map(({ text, vector }: Readonly<Record<'text' | 'vector', string>>) => ({
  text,
  vector: new Float32Array(Uint8Array.from(Buffer.from(vector, 'base64')).buffer),
}))
