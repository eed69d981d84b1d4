/** What can be set for the one process. `docs/operating.md` shows this table; a test holds it to it. */
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { hasValidChecksum, type KeyMode, modeOfKey } from '@millhand/api'
import type { BootstrapKeys } from '@millhand/identity'
import type { ModelsFolder } from '@millhand/model'
import {
  address,
  configuration,
  integer,
  oneOf,
  optional,
  path,
  type Secret,
  type Setting,
  secret,
  text,
} from '@millhand/runner'
import { type Level, levels } from '@millhand/telemetry'

export interface LocalConfig {
  readonly http: { readonly host: string; readonly port: number }
  readonly dataDir: string
  readonly modelFolders: readonly ModelsFolder[]
  readonly logLevel: Level
  readonly bootstrap: Partial<BootstrapKeys>
  readonly secretKey: string | undefined
  readonly executorSlots: number
  readonly onnx: { readonly memoryLimitBytes: number; readonly threads: number }
  readonly modelsMemoryBytes: number
  readonly retentionMs: number
  readonly cpuSecondMicros: number
  /** Variables that are set and have no effect in this version. */
  readonly notServed: readonly string[]
}

const mib = 2 ** 20
const cores = availableParallelism()

export const localVariables = configuration({
  MILLHAND_HTTP_ADDR: address('127.0.0.1:8080', 'Where REST is served. Port 0 takes a free one.'),
  MILLHAND_GRPC_ADDR: optional(address(undefined, 'Where gRPC is served. Not served yet: setting it is logged.')),
  MILLHAND_METRICS_ADDR: optional(
    address(undefined, 'Where metrics are served. Not served yet: setting it is logged.'),
  ),
  MILLHAND_DATA_DIR: path('.millhand', 'The folder that holds everything: tasks, events, inputs, keys.'),
  MILLHAND_MODELS_DIR: optional(path(undefined, 'A folder of your own models, each a folder with `model.json`.')),
  MILLHAND_LOG_LEVEL: oneOf('info', 'What is logged, on standard error.', levels),
  MILLHAND_KEY: optional(secret('What the examples call the key that you call with. The server does not read it.')),
  MILLHAND_BOOTSTRAP_KEY: optional(
    apiKey('live', 'The first account’s live key, instead of the one made at the first start.'),
  ),
  MILLHAND_BOOTSTRAP_TEST_KEY: optional(apiKey('test', 'The first account’s test key, likewise.')),
  MILLHAND_BOOTSTRAP_PLANS: optional(
    text(undefined, 'The first account’s plans. There are no plans yet: setting it is logged.'),
  ),
  MILLHAND_SECRET_KEY: optional(
    secret('Seals cursors and stored secrets, instead of the one made at the first start.', { minLength: 32 }),
  ),
  MILLHAND_EXECUTOR_SLOTS: optional(
    integer(undefined, 'How many runs of models at once; 0 runs none. Else as many as there are cores, at least 2.', {
      min: 0,
      max: 64,
    }),
  ),
  MILLHAND_MODEL_MEMORY_MB: integer(2_048, 'What the process of one model may hold; beyond it, it is stopped.', {
    min: 256,
    max: 1_048_576,
    unit: 'MiB',
  }),
  MILLHAND_MODELS_MEMORY_MB: integer(4_096, 'What all of them may hold before idle ones are unloaded.', {
    min: 256,
    max: 1_048_576,
    unit: 'MiB',
  }),
  MILLHAND_MODEL_THREADS: optional(
    integer(undefined, 'How many threads the process of one model computes with. Else as many as there are cores.', {
      min: 1,
      max: 1_024,
    }),
  ),
  MILLHAND_RETENTION_DAYS: integer(30, 'How long an ended task and its data are kept.', {
    min: 1,
    max: 3_650,
    unit: 'days',
  }),
  MILLHAND_CPU_SECOND_MICROS: integer(20, 'The price of a second of compute.', {
    min: 0,
    max: 1_000_000_000,
    unit: 'millionths of a dollar',
  }),
})

/** Models that come with Millhand. */
const ownModels = fileURLToPath(new URL('../models', import.meta.url))

/** Throws `ConfigurationError`, which names every variable that is wrong. */
export function localConfig(env: NodeJS.ProcessEnv): LocalConfig {
  const set = localVariables(env)
  return {
    http: set.MILLHAND_HTTP_ADDR,
    dataDir: set.MILLHAND_DATA_DIR,
    modelFolders: [
      { path: ownModels, ownedBy: 'millhand' },
      ...(set.MILLHAND_MODELS_DIR === undefined ? [] : [{ path: set.MILLHAND_MODELS_DIR, ownedBy: 'operator' }]),
    ],
    logLevel: set.MILLHAND_LOG_LEVEL,
    bootstrap: {
      ...(set.MILLHAND_BOOTSTRAP_KEY !== undefined && { live: set.MILLHAND_BOOTSTRAP_KEY.reveal() }),
      ...(set.MILLHAND_BOOTSTRAP_TEST_KEY !== undefined && { test: set.MILLHAND_BOOTSTRAP_TEST_KEY.reveal() }),
    },
    secretKey: set.MILLHAND_SECRET_KEY?.reveal(),
    executorSlots: set.MILLHAND_EXECUTOR_SLOTS ?? Math.max(2, cores),
    onnx: { memoryLimitBytes: set.MILLHAND_MODEL_MEMORY_MB * mib, threads: set.MILLHAND_MODEL_THREADS ?? cores },
    modelsMemoryBytes: set.MILLHAND_MODELS_MEMORY_MB * mib,
    retentionMs: set.MILLHAND_RETENTION_DAYS * 86_400_000,
    cpuSecondMicros: set.MILLHAND_CPU_SECOND_MICROS,
    notServed: notServed.filter(name => set[name] !== undefined),
  }
}

const notServed = ['MILLHAND_GRPC_ADDR', 'MILLHAND_METRICS_ADDR', 'MILLHAND_BOOTSTRAP_PLANS'] as const

/** An API key of a mode, as `createApiKey` makes them: a slip of the pen stops the start, not the first call. */
function apiKey(mode: KeyMode, doc: string): Setting<Secret> {
  const any = secret(doc)
  return {
    ...any,
    form: `an API key of \`mh_${mode}_\` and 36 characters, the last 6 of them its checksum`,
    read: written => (hasValidChecksum(written) && modeOfKey(written) === mode ? any.read(written) : undefined),
  }
}
