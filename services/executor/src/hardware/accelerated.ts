/** Executors of what this machine has beside its processor: found when they start, by a run on each provider. */
import type { Accelerator } from '@millhand/model'
import type { Log } from '@millhand/telemetry'
import type { Executor, ModelRunner } from '../executor.ts'
import { providerFault } from './find-provider.ts'
import { type Gpu, gpuOf } from './gpus.ts'

export interface AcceleratedOptions {
  /** Those that an operator allows. */
  readonly providers: readonly Accelerator[]
  /** Runs models on a provider; for the probe on nothing else. */
  readonly runnerOn: (
    provider: Accelerator,
    options: { readonly onlyProvider?: true; readonly gpuType?: string },
  ) => ModelRunner
  /** What claims the work that asks for a provider, once that works. */
  readonly executorsOf: (provider: Accelerator, gpu: Gpu, runner: ModelRunner) => readonly Executor[]
  readonly log: Log
}

export function acceleratedExecutors({ providers, runnerOn, executorsOf, log }: AcceleratedOptions): Executor {
  const running = new Set<Executor>()

  async function runOn(provider: Accelerator, signal: AbortSignal): Promise<void> {
    const fault = await providerFault(provider, runnerOn(provider, { onlyProvider: true }), signal)
    if (signal.aborted) return
    if (fault !== undefined) return log.info('provider.not_found', { provider, reason: fault })
    const gpu = await gpuOf(provider)
    log.info('provider.found', { provider, gpu_type: gpu.type, gpu: gpu.name, memory_mb: gpu.memoryMb })
    const executors = executorsOf(provider, gpu, runnerOn(provider, { gpuType: gpu.type }))
    for (const executor of executors) running.add(executor)
    await Promise.all(executors.map(executor => executor.run(signal)))
  }

  return {
    async run(signal) {
      await Promise.all(providers.map(provider => runOn(provider, signal)))
    },
    ring() {
      for (const executor of running) executor.ring()
    },
  }
}
