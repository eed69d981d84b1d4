import type { ModelRunner } from '@millhand/executor'

/** A runner that answers `null` to everything at once, in no process of its own: what is left is everything else. */
export function noopRunner(): ModelRunner {
  return {
    engine: { kind: 'noop', name: 'noop', provider: 'none' },
    load: async () => loaded(),
  }
}

type LoadedModel = Awaited<ReturnType<ModelRunner['load']>>
type RunnerGone = Awaited<LoadedModel['gone']>

function loaded(): LoadedModel {
  const gone = Promise.withResolvers<RunnerGone>()
  return {
    run: async items => ({ items: items.map(() => ({ ok: true, output: 'null' })), computeMs: 0 }),
    memoryBytes: () => 0,
    kill: async () => gone.resolve(Object.assign(new Error('killed'), { reason: 'killed' as const })),
    gone: gone.promise,
  }
}
