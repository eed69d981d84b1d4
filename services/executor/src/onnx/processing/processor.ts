/** What turns inputs of tasks into outputs, in the child process. */
import type { Progress, RunItem } from '../../model-runner.ts'

export interface Processor {
  /**
   * One result an item, in their order: JSON text, or why there is none (`InputInvalid` when the input is at fault).
   * Never rejects.
   */
  run(items: readonly RunItem[], onProgress: (progress: Progress) => void): Promise<(string | Error)[]>
}

/** Items one after the other, for pipelines that take one at a time. */
export function oneByOne(
  runOne: (item: RunItem, onProgress: (progress: Progress) => void) => Promise<string>,
): Processor {
  return {
    async run(items, onProgress) {
      const results: (string | Error)[] = []
      for (const [index, item] of items.entries()) {
        const report = ({ fraction, ...rest }: Progress) =>
          onProgress({ fraction: (index + fraction) / items.length, ...rest })
        results.push(await runOne(item, report).catch(toError))
      }
      return results
    },
  }
}

export const toError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)))
