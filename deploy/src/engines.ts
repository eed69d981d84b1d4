/** What runs the workforce's work: processes of its kinds, and the language model that they may ask. */
import type { Values } from '@millhand/runner'
import type { Log } from '@millhand/telemetry'
import type { LanguageModelOptions } from '@millhand/workforce/language-model'
import { kindRunner, type LanguageModel } from '@millhand/workforce/runner'
import { MIB } from './config-parts.ts'
import type { variables } from './variables.ts'

export const engineVariables = [
  'MILLHAND_ENGINE_SLOTS',
  'MILLHAND_ENGINE_MEMORY_MB',
  'MILLHAND_ENGINES_MEMORY_MB',
  'MILLHAND_LLM_URL',
  'MILLHAND_LLM_MODEL',
  'MILLHAND_LLM_KEY',
  'MILLHAND_LLM_INPUT_MICROS',
  'MILLHAND_LLM_OUTPUT_MICROS',
] as const

export interface Engines {
  /** How many tasks at once; as many as runs of models where it is not set. */
  readonly slots: number | undefined
  /** What one process may hold. */
  readonly memoryLimitBytes: number
  /** What all of them may hold before idle ones are ended. */
  readonly allMemoryBytes: number
  readonly languageModel: Omit<LanguageModelOptions, 'log'> | undefined
}

export function enginesOf(set: Pick<Values<typeof variables>, (typeof engineVariables)[number]>): Engines {
  const { MILLHAND_LLM_URL: url, MILLHAND_LLM_MODEL: model } = set
  return {
    slots: set.MILLHAND_ENGINE_SLOTS,
    memoryLimitBytes: set.MILLHAND_ENGINE_MEMORY_MB * MIB,
    allMemoryBytes: set.MILLHAND_ENGINES_MEMORY_MB * MIB,
    languageModel:
      url === undefined
        ? undefined
        : {
            url,
            model,
            key: set.MILLHAND_LLM_KEY?.reveal(),
            inputMicros: set.MILLHAND_LLM_INPUT_MICROS,
            outputMicros: set.MILLHAND_LLM_OUTPUT_MICROS,
          },
  }
}

/** What the service offers: executors have the same settings. */
export const offeredOf = (
  set: Pick<Values<typeof variables>, 'MILLHAND_LLM_URL' | 'MILLHAND_LLM_INPUT_MICROS' | 'MILLHAND_LLM_OUTPUT_MICROS'>,
) => ({
  languageModel: set.MILLHAND_LLM_URL !== undefined,
  hasPrices: set.MILLHAND_LLM_INPUT_MICROS + set.MILLHAND_LLM_OUTPUT_MICROS > 0,
})

export const workRunner = async ({ memoryLimitBytes, languageModel }: Engines, log: Log) =>
  kindRunner({ memoryLimitBytes, languageModel: await opened(languageModel, log), log })

/** What speaks to language models is loaded only where one is configured. */
async function opened(options: Engines['languageModel'], log: Log): Promise<LanguageModel | undefined> {
  if (options === undefined) return undefined
  const { openLanguageModel } = await import('@millhand/workforce/language-model')
  return openLanguageModel({ ...options, log })
}
