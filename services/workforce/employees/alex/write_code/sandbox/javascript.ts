/** Runs tests of JavaScript and TypeScript in QuickJS: another engine, in WebAssembly, that has nothing but the language. */
import variant from '@jitl/quickjs-wasmfile-release-sync'
import {
  newQuickJSWASMModuleFromVariant,
  type QuickJSContext,
  type QuickJSRuntime,
  type QuickJSSyncVariant,
} from 'quickjs-emscripten-core'
import { checks, jestExpect, nodeAssert } from './assertions.ts'
import { MOST_BYTES, STOPPED, startTime } from './limits.ts'
import { moduleLoader } from './module-loader.ts'
import type { Outcome } from './outcome.ts'
import { seal } from './seal.ts'
import { type Report, suite } from './suite.ts'
import { testRegistry } from './test-registry.ts'
import { virtualTime } from './virtual-time.ts'

/** Its types are of another sort of module than it is. */
const quickjs = variant as unknown as QuickJSSyncVariant

/** `sources`: CommonJS, by path. */
export async function runJavaScript(
  sources: Readonly<Record<string, string>>,
  tests: readonly string[],
): Promise<Outcome> {
  // Of its own: what went wrong in one run is in no other, and nothing is freed one by one: all of it goes at once.
  const module = await newQuickJSWASMModuleFromVariant(quickjs)
  const isOver = startTime()
  const runtime = module.newRuntime({
    memoryLimitBytes: MOST_BYTES,
    maxStackSizeBytes: MOST_STACK_BYTES,
    interruptHandler: isOver,
  })
  const context = runtime.newContext()
  const reports: Report[] = []
  const parts = `{ testRegistry: ${testRegistry}, moduleLoader: ${moduleLoader}, virtualTime: ${virtualTime} }`
  const assertions = `{ assert: (${nodeAssert})(checks), expect: (${jestExpect})(checks) }`
  const given = `${JSON.stringify(sources)}, ${JSON.stringify(tests)}`
  const program = `(${seal})(); const checks = (${checks})(); (${suite})(${parts}, ${assertions}, ${given}, report)`
  const end = run(context, runtime, program, reports, isOver)
  const results = reports.flatMap(report => (report.kind === 'result' ? report : []))
  const isDone = reports.some(({ kind }) => kind === 'done')
  return { results, ended: end ?? (isDone ? undefined : 'a test never ended') }
}

const MOST_STACK_BYTES = 512 * 1024

/** Why it did not run to its end; undefined where it did. */
function run(
  context: QuickJSContext,
  runtime: QuickJSRuntime,
  program: string,
  reports: Report[],
  isOver: () => boolean,
): string | undefined {
  const stopped = (error: { readonly message?: string }) => (isOver() ? STOPPED : String(error.message ?? error))
  try {
    const report = context.newFunction('report', told => {
      if (reports.length < MOST_REPORTS) reports.push(JSON.parse(context.getString(told)))
    })
    // As an argument, and not as a global: what is tested does not get hold of it.
    const started = context.evalCode(`report => { ${program} }`, 'suite')
    if (started.error) return stopped(context.dump(started.error))
    const called = context.callFunction(started.value, context.undefined, report)
    if (called.error) return stopped(context.dump(called.error))
    const jobs = runtime.executePendingJobs()
    if (jobs.error) return stopped(context.dump(jobs.error))
    return isOver() ? stopped({}) : undefined
  } catch (error) {
    return stopped(error as Error)
  }
}

const MOST_REPORTS = 10_000
