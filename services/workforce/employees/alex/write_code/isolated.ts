/** What of this kind runs in a process of its own, once: tests, and the code that they test. */
import type { CodeFile } from './result.ts'
import type { Outcome } from './sandbox/outcome.ts'

export type IsolatedTests =
  | {
      readonly language: 'javascript'
      /** CommonJS, by path. */
      readonly sources: Readonly<Record<string, string>>
      readonly tests: readonly string[]
    }
  | { readonly language: 'python'; readonly code: readonly CodeFile[]; readonly tests: readonly CodeFile[] }

export async function isolated(work: IsolatedTests): Promise<Outcome> {
  if (work.language === 'javascript') {
    const { runJavaScript } = await import('./sandbox/javascript.ts')
    return await runJavaScript(work.sources, work.tests)
  }
  const { runPython } = await import('./sandbox/python.ts')
  return await runPython(work.code, work.tests)
}
