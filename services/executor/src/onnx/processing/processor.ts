/** What turns inputs of tasks into outputs, in the child process. */
import type { Emission, RunItem } from '@millhand/child-process'

/** Sends what an item emits. Who emits waits for it; it rejects with `PieceTooLarge`. */
export type Emit = (emission: Emission) => Promise<void>

/** An output that is a file and no JSON, in parts. */
export interface FileOutput {
  readonly parts: Iterable<Uint8Array>
}

/** JSON text, a file, or why there is neither: `InputInvalid` when the input is at fault. */
export type Output = string | FileOutput | Error

export interface Processor {
  /** One output an item, in their order. Never rejects, and has emitted everything by then. */
  run(items: readonly RunItem[], emit: (item: number, emission: Emission) => Promise<void>): Promise<Output[]>
}

/** Items one after the other, for pipelines that take one at a time. */
export function oneByOne(runOne: (item: RunItem, emit: Emit) => Promise<string>): Processor {
  return {
    async run(items, emit) {
      const results: (string | Error)[] = []
      for (const [index, item] of items.entries()) {
        results.push(await runOne(item, emission => emit(index, emission)).catch(toError))
      }
      return results
    },
  }
}

export const toError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)))
