import { type LoadedModel, type ModelRunner, RunnerGone, type RunResult } from '@millhand/executor'

/** A runner that answers `null` to everything at once, in no process of its own: what is left is everything else. */
export function noopRunner(): ModelRunner {
  return {
    engine: { kind: 'noop', name: 'noop', provider: 'none' },
    load: async () => loaded(),
  }
}

function loaded(): LoadedModel {
  const gone = Promise.withResolvers<RunnerGone>()
  return {
    run: async (items): Promise<RunResult> => ({
      items: items.map(() => ({ ok: true, output: 'null' })),
      computeMs: 0,
    }),
    memoryBytes: () => 0,
    kill: async () => gone.resolve(new RunnerGone('killed', 'killed')),
    gone: gone.promise,
  }
}
