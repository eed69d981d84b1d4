/** What runs tasks in a process: the real thing for what is live, and for the sandbox what computes nothing. */
import type { Client } from '@connectrpc/connect'
import type { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { readCatalogue } from '@millhand/employees/catalogue'
import { kindRunner, loadableKinds } from '@millhand/employees/runner'
import { mockKinds, mockWork } from '@millhand/employees/sandbox'
import { copiedModels, createExecutor, describedModels, type Executor, type ExecutorOptions } from '@millhand/executor'
import { acceleratedExecutors } from '@millhand/executor/accelerated'
import { mockRunner, mockRunnerOf, mockTrainingRunner } from '@millhand/executor/mock'
import { type OnnxRunnerOptions, onnxRunner } from '@millhand/executor/onnx'
import { trainingRunner } from '@millhand/executor/training'
import { GgufProcesses } from '@millhand/gguf/processes'
import type { Accelerator, Catalogue, ModelPackage } from '@millhand/model'
import type { Runner } from '@millhand/process'
import { type Engines, openEmbeddingModel, openImageModel, openLanguageModel } from './engines.ts'
import { textGenerationOf } from './text-generation.ts'

export interface ExecutorsOptions extends Omit<ExecutorOptions, 'pool' | 'models'> {
  readonly models: Catalogue
  /** What models may run on beside the processor, and with what they run there. */
  readonly providers: readonly Accelerator[]
  /** How many texts are generated at once. */
  readonly textSlots: number
  readonly onnx: Omit<OnnxRunnerOptions, 'log'>
  /** Those of the workforce's tasks; `leases` are compute's. */
  readonly workforceLeases: Client<typeof LeaseService>
  readonly engines: Engines
  /** Takes over what lives as long as the process. */
  readonly own: Runner['own']
}

/** By name; none where there are no slots of models. `slots` are those of what is live: the sandbox takes none of them. */
export async function createExecutors(given: ExecutorsOptions): Promise<ReadonlyMap<string, Executor>> {
  const { workforceLeases, engines, own, providers, onnx, textSlots, ...options } = given
  if (options.slots === 0) return new Map()
  const employees = readCatalogue()
  const { clock, log, memoryLimitBytes } = options
  const workSlots = engines.slots(options.slots)
  /** A file that both tasks and the workforce use is loaded once. */
  const gguf = new GgufProcesses({ threads: engines.languageThreads, memoryLimitBytes, log })
  own(gguf, 'language model processes')
  const work = async () => {
    const languageModel = await openLanguageModel(engines, gguf, log)
    if (languageModel !== undefined) own(languageModel, 'language model')
    const embeddingModel = await openEmbeddingModel(engines, log)
    if (embeddingModel !== undefined) own(embeddingModel, 'embedding model')
    const imageModel = await openImageModel(engines, log)
    return createExecutor({
      ...{ clock, log, memoryLimitBytes: engines.allMemoryBytes, slots: workSlots },
      leases: workforceLeases,
      pool: 'live/workforce',
      runner: kindRunner({
        memoryLimitBytes: engines.memoryLimitBytes,
        avoidsFirstCore: engines.avoidsFirstCore,
        languageModel,
        embeddingModel,
        imageModel,
        log,
      }),
      models: loadableKinds(employees),
    })
  }
  /** Idle processes of batch tasks are kept beside those of single tasks, for the next one. */
  const batch = { ownProcesses: true, memoryLimitBytes: Math.floor(memoryLimitBytes / 4) } as const
  /** No process of a training is kept: the next one is of another account, as a rule. */
  const training = {
    ownProcesses: true,
    memoryLimitBytes: 0,
    runner: trainingRunner({ memoryLimitBytes: onnx.memoryLimitBytes, log }),
  } as const
  const sandbox = { clock, log, memoryLimitBytes, slots: SANDBOX_SLOTS }
  const leasedModels = copiedModels({ ...options, mostBytes: MOST_COPIED_BYTES })
  own(leasedModels, 'model copies')
  const live = { ...options, leasedModels }
  const sandboxed = { ...options, ...sandbox, leasedModels: describedModels, runner: mockRunner({ clock }) }
  const accelerated = () =>
    acceleratedExecutors({
      ...{ providers, log },
      runnerOn: (provider, more) => onnxRunner({ ...onnx, ...more, provider, log }),
      executorsOf(provider, { id, type, name, memoryMb }, runner) {
        const device = { id, gpuType: type, name, memoryMb, provider }
        const mocked = { ...sandboxed, device, runner: mockRunner({ clock, gpuType: type }) }
        return [
          createExecutor({ ...live, runner, device, pool: `live/${provider}` }),
          createExecutor({ ...live, ...batch, runner, device, pool: `live/batch-${provider}` }),
          createExecutor({ ...mocked, pool: `test/${provider}` }),
          createExecutor({ ...mocked, pool: `test/batch-${provider}` }),
        ]
      },
    })
  // Before the model of the workforce, which is loaded at the start: what tasks need of its file is declared by then.
  const text = await textRunner(given, gguf)
  return new Map([
    ['executor', createExecutor({ ...live, pool: 'live/onnx' })],
    ['batch', createExecutor({ ...live, ...batch, pool: 'live/batch' })],
    ['training', createExecutor({ ...live, ...training, pool: 'live/training' })],
    ['sandbox', createExecutor({ ...sandboxed, pool: 'test/onnx' })],
    ['batch sandbox', createExecutor({ ...sandboxed, pool: 'test/batch' })],
    [
      'training sandbox',
      createExecutor({ ...sandboxed, runner: mockTrainingRunner({ clock }), pool: 'test/training' }),
    ],
    ...(providers.length === 0 ? [] : [['accelerated', accelerated()] as const]),
    ...(text
      ? [['text', createExecutor({ ...options, runner: text, slots: textSlots, pool: 'live/text' })] as const]
      : []),
    ...(workSlots === 0 ? [] : [['workforce', await work()] as const]),
    [
      'workforce sandbox',
      createExecutor({
        ...sandbox,
        leases: workforceLeases,
        pool: 'test/workforce',
        runner: mockRunnerOf(mockWork, { clock }),
        models: mockKinds(employees),
      }),
    ],
  ])
}

/** What generates text, where there is anything to run. */
async function textRunner({ models, textSlots, onnx }: ExecutorsOptions, processes: GgufProcesses) {
  const textModels = models.list().filter(isTextModel)
  if (textModels.length === 0 || textGenerationOf(textSlots).fault !== undefined) return undefined
  const { ggufRunner } = await import('@millhand/executor/gguf')
  return ggufRunner({
    ...{ models: textModels, processes, memoryLimitBytes: onnx.memoryLimitBytes },
    // Each account of which nothing runs has one run more than there are slots.
    sequences: 2 * textSlots,
  })
}

function isTextModel(model: ReturnType<Catalogue['list']>[number]): model is ModelPackage {
  return model.status === 'ready' && model.manifest.format === 'gguf'
}

/** Of copies of accounts' own models that no run needs. */
const MOST_COPIED_BYTES = 2 * 2 ** 30

/** How many runs of the sandbox at once: each is a timer, and a lease that is renewed every second. */
const SANDBOX_SLOTS = 256
