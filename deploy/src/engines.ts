/** What runs the workforce's work: processes of its kinds, and the language model that they may ask. */
import { availableParallelism, totalmem } from 'node:os'
import type { EmbeddingOptions } from '@millhand/employees/embedding'
import type { GgufOptions } from '@millhand/employees/gguf'
import type { OpenAICompatibleOptions } from '@millhand/employees/openai-compatible'
import type { OpenAIImagesOptions } from '@millhand/employees/openai-images'
import type { EmbeddingModel, ImageModel, LanguageModel } from '@millhand/employees/runner'
import type { GgufProcesses } from '@millhand/gguf/processes'
import { ConfigurationError, type Values } from '@millhand/process'
import type { Log } from '@millhand/telemetry'
import { MIB } from './config-parts.ts'
import type { variables } from './variables.ts'

export const engineVariables = [
  'MILLHAND_ENGINE_SLOTS',
  'MILLHAND_ENGINE_MEMORY_MB',
  'MILLHAND_ENGINES_MEMORY_MB',
  'MILLHAND_LLM_URL',
  'MILLHAND_LLM_MODEL',
  'MILLHAND_LLM_KEY',
  'MILLHAND_LLM_GGUF',
  'MILLHAND_LLM_MEMORY_MB',
  'MILLHAND_LLM_THREADS',
  'MILLHAND_LLM_INPUT_MICROS',
  'MILLHAND_LLM_OUTPUT_MICROS',
  'MILLHAND_EMBEDDING_MODEL',
  'MILLHAND_IMAGE_URL',
  'MILLHAND_IMAGE_MODEL',
  'MILLHAND_IMAGE_KEY',
  'MILLHAND_IMAGE_MICROS',
] as const

/** What whoever offers work has to know of models: executors have the same settings. */
export const offeredVariables = [
  'MILLHAND_LLM_URL',
  'MILLHAND_LLM_GGUF',
  'MILLHAND_LLM_INPUT_MICROS',
  'MILLHAND_LLM_OUTPUT_MICROS',
  'MILLHAND_IMAGE_URL',
  'MILLHAND_IMAGE_MICROS',
] as const

type Set<Name extends keyof typeof variables> = Pick<Values<typeof variables>, Name>

type LanguageModelSettings =
  | ({ readonly at: 'server' } & Omit<OpenAICompatibleOptions, 'log'>)
  | ({ readonly at: 'file' } & Omit<GgufOptions, 'log' | 'processes'>)

type ImageModelSettings = Omit<OpenAIImagesOptions, 'log'>

export interface Engines {
  /** How many tasks at once, of so many runs of models. */
  slots(ofModels: number): number
  /** Whether processes of kinds leave the first core to who answers callers; not where it is said how many run at once. */
  readonly avoidsFirstCore: boolean
  /** What one process may hold. */
  readonly memoryLimitBytes: number
  /** What all of them may hold before idle ones are ended. */
  readonly allMemoryBytes: number
  readonly languageModel: LanguageModelSettings | undefined
  /** Of the process of each language model in a file: the workforce's, and those that generate text. */
  readonly languageThreads: number
  readonly embeddingModel: Omit<EmbeddingOptions, 'log'> | undefined
  readonly imageModel: ImageModelSettings | undefined
}

export function enginesOf(set: Set<(typeof engineVariables)[number]>): Engines {
  const languageModel = languageModelOf(set)
  const imageModel = imageModelOf(set)
  // Tasks that ask a model wait for it most of their time; rules compute, and leave a core to who answers callers.
  const most = (languageModel ?? imageModel) ? Number.POSITIVE_INFINITY : allButOne()
  return {
    slots: ofModels => set.MILLHAND_ENGINE_SLOTS ?? Math.min(ofModels, most),
    avoidsFirstCore: set.MILLHAND_ENGINE_SLOTS === undefined,
    memoryLimitBytes: set.MILLHAND_ENGINE_MEMORY_MB * MIB,
    allMemoryBytes: (set.MILLHAND_ENGINES_MEMORY_MB ?? Math.max(2_048, memoryMib() / 4)) * MIB,
    languageModel,
    languageThreads: languageThreads(set),
    embeddingModel: embeddingModelOf(set),
    imageModel,
  }
}

/** What this process may have: a container's limit, where it is in one. */
const memoryMib = () => Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY) / MIB

function languageModelOf(set: Set<(typeof engineVariables)[number]>): LanguageModelSettings | undefined {
  const { MILLHAND_LLM_URL: url, MILLHAND_LLM_MODEL: model, MILLHAND_LLM_GGUF: file } = set
  requireOne(set)
  const prices = { inputMicros: set.MILLHAND_LLM_INPUT_MICROS, outputMicros: set.MILLHAND_LLM_OUTPUT_MICROS }
  if (url !== undefined) return { at: 'server', url, model, key: set.MILLHAND_LLM_KEY?.reveal(), ...prices }
  if (file === undefined) return undefined
  return {
    at: 'file',
    file,
    memoryLimitBytes: set.MILLHAND_LLM_MEMORY_MB * MIB,
    ...prices,
  }
}

function embeddingModelOf({ MILLHAND_EMBEDDING_MODEL: folder }: Set<'MILLHAND_EMBEDDING_MODEL'>) {
  return folder === undefined ? undefined : { folder, threads: Math.min(MOST_EMBEDDING_THREADS, allButOne()) }
}

/** A batch is small. */
const MOST_EMBEDDING_THREADS = 4

const languageThreads = (set: Set<'MILLHAND_LLM_THREADS'>): number => set.MILLHAND_LLM_THREADS ?? allButOne()

/** Threads of a model wait for one another: where one of them gets no core, all of them stand still. */
const allButOne = (): number => Math.max(1, availableParallelism() - 1)

function imageModelOf(set: Set<(typeof engineVariables)[number]>): ImageModelSettings | undefined {
  const { MILLHAND_IMAGE_URL: url, MILLHAND_IMAGE_MODEL: model, MILLHAND_IMAGE_MICROS: pictureMicros } = set
  return url === undefined ? undefined : { url, model, key: set.MILLHAND_IMAGE_KEY?.reveal(), pictureMicros }
}

/** What the service offers. What runs here costs nothing by the token where no price is set: a `max_cost` holds then too. */
export function offeredOf(set: Set<(typeof offeredVariables)[number]>) {
  requireOne(set)
  const isLocal = set.MILLHAND_LLM_GGUF !== undefined
  return {
    languageModel: isLocal || set.MILLHAND_LLM_URL !== undefined,
    hasPrices: isLocal || set.MILLHAND_LLM_INPUT_MICROS + set.MILLHAND_LLM_OUTPUT_MICROS > 0,
    imageModel: set.MILLHAND_IMAGE_URL !== undefined,
    hasImagePrice: set.MILLHAND_IMAGE_MICROS > 0,
  }
}

function requireOne(set: Set<'MILLHAND_LLM_URL' | 'MILLHAND_LLM_GGUF'>): void {
  if (set.MILLHAND_LLM_URL === undefined || set.MILLHAND_LLM_GGUF === undefined) return
  throw new ConfigurationError(['MILLHAND_LLM_URL and MILLHAND_LLM_GGUF name a language model each: set one of them.'])
}

/** What speaks to language models is loaded only where one is configured. `processes`: of models in files. */
export async function openLanguageModel(
  { languageModel: settings }: Pick<Engines, 'languageModel'>,
  processes: GgufProcesses,
  log: Log,
): Promise<LanguageModel | undefined> {
  if (settings === undefined) return undefined
  if (settings.at === 'server') {
    const { openAICompatible } = await import('@millhand/employees/openai-compatible')
    return openAICompatible({ ...settings, log })
  }
  const { ggufFault, openGguf } = await import('@millhand/employees/gguf')
  const fault = await ggufFault(settings.file)
  if (fault !== undefined) throw wrong('MILLHAND_LLM_GGUF', fault)
  try {
    return await openGguf({ ...settings, processes, log })
  } catch (error) {
    throw wrong('MILLHAND_LLM_GGUF', `names a model that can't be loaded: ${(error as Error).message}`)
  }
}

/** ONNX Runtime is loaded only where a model is configured. */
export async function openEmbeddingModel(
  { embeddingModel: settings }: Pick<Engines, 'embeddingModel'>,
  log: Log,
): Promise<EmbeddingModel | undefined> {
  if (settings === undefined) return undefined
  const { embeddingFault, openEmbedding } = await import('@millhand/employees/embedding')
  const fault = await embeddingFault(settings.folder)
  if (fault !== undefined) throw wrong('MILLHAND_EMBEDDING_MODEL', fault)
  try {
    return await openEmbedding({ ...settings, log })
  } catch (error) {
    const said = (error as Error).message
    throw wrong(
      'MILLHAND_EMBEDDING_MODEL',
      `names a folder whose model can't be loaded: ${said}; docs/workforce.md says how to make one`,
    )
  }
}

/** As with language models. */
export async function openImageModel(
  { imageModel: settings }: Pick<Engines, 'imageModel'>,
  log: Log,
): Promise<ImageModel | undefined> {
  if (settings === undefined) return undefined
  const { openAIImages } = await import('@millhand/employees/openai-images')
  return openAIImages({ ...settings, log })
}

const wrong = (setting: string, what: string) => new ConfigurationError([`${setting} ${what}.`])
