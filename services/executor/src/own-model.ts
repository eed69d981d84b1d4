/** A model that is loaded for one run and goes with it. */
import type { ModelPackage } from '@millhand/model'
import type { LoadedModel, ModelRunner } from './model-runner.ts'
import type { WarmModel } from './warm-models.ts'

export function ownModel(runner: ModelRunner, model: ModelPackage): WarmModel {
  const ending = new AbortController()
  let loaded: LoadedModel | undefined
  return {
    isRunning: false, // Nothing waits behind it.
    async run(begin, onEmit) {
      loaded = await runner.load(model, ending.signal)
      try {
        const items = begin()
        return items.length === 0 ? { items: [], computeMs: 0 } : await loaded.run(items, onEmit)
      } finally {
        await loaded.kill()
      }
    },
    async kill() {
      ending.abort()
      await loaded?.kill()
    },
  }
}
