/**
 * A runner that does nothing but stream, in no process of its own: a task with `parameters` {chunks, interval_ms} emits
 * so many pieces, each the time at which it was emitted; every other answers `null` at once.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { ModelRunner } from '@millhand/executor'

type LoadedModel = Awaited<ReturnType<ModelRunner['load']>>
type RunnerGone = Awaited<LoadedModel['gone']>

export function emittingRunner(): ModelRunner {
  return {
    engine: { kind: 'noop', name: 'noop', provider: 'none' },
    loads: 'model',
    load: async () => loaded(),
  }
}

/** Milliseconds since 1970, with fractions: the same in every process of a machine. */
export const timeNow = (): number => performance.timeOrigin + performance.now()

function loaded(): LoadedModel {
  const gone = Promise.withResolvers<RunnerGone>()
  const killed = new AbortController()
  return {
    async run(items, onEmit = async () => {}) {
      const streams = items.map(async ({ parameters: { chunks = 0, interval_ms = 0 } = {} }, at) => {
        const began = performance.now()
        for (let count = 1; count <= Number(chunks); count++) {
          const early = began + count * Number(interval_ms) - performance.now()
          // Timers have whole milliseconds: what is due with this tick follows without one.
          if (early >= 1) await pause(early)
          if (killed.signal.aborted) return
          await onEmit(at, { kind: 'output', json: String(timeNow()) })
        }
      })
      await Promise.all(streams)
      return { items: items.map(() => ({ ok: true, output: Buffer.from('null') })), computeMs: 0 }
    },
    memoryBytes: () => 0,
    async kill() {
      killed.abort()
      gone.resolve(Object.assign(new Error('killed'), { reason: 'killed' as const }))
    },
    gone: gone.promise,
  }
}
