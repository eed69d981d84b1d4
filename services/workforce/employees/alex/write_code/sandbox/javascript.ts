/** Runs tests of JavaScript and TypeScript in QuickJS: another engine, in WebAssembly, that has nothing but the language. */
import { createRequire } from 'node:module'
import variant from '@jitl/quickjs-wasmfile-release-sync'
import {
  newQuickJSWASMModuleFromVariant,
  type QuickJSContext,
  type QuickJSRuntime,
  type QuickJSSyncVariant,
} from 'quickjs-emscripten-core'
import type TypeScript from 'typescript'
import type { CodeFile } from '../result.ts'
import { assertions } from './assertions.ts'
import { MOST_BYTES, STOPPED, startTime } from './limits.ts'
import { seal } from './seal.ts'
import { type Report, suite } from './suite.ts'
import type { Told } from './told.ts'

const require = createRequire(import.meta.url)
/** Its types are of another sort of module than it is. */
const quickjs = variant as unknown as QuickJSSyncVariant

export async function runJavaScript(code: readonly CodeFile[], tests: readonly CodeFile[]): Promise<Told> {
  const sources = Object.fromEntries([...code, ...tests].flatMap(compiled))
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
  const program = `(${seal})(); (${suite})((${assertions})(), ${JSON.stringify(sources)}, ${JSON.stringify(tests.map(({ path }) => path))}, report)`
  const end = run(context, runtime, program, reports, isOver)
  const { results, isDone } = summed(reports)
  const faults = results.filter(({ fault }) => fault !== '').map(({ name, fault }) => `${name}: ${fault}`)
  if (end !== undefined) faults.push(end)
  else if (!isDone) faults.push('a test never ended')
  return { passed: results.filter(({ fault }) => fault === '').length, total: results.length, faults }
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

function summed(reports: readonly Report[]) {
  const results = reports.flatMap(report => (report.kind === 'result' ? report : []))
  return { results, isDone: reports.some(({ kind }) => kind === 'done') }
}

/** As CommonJS, which modules of both sorts become. */
function compiled({ path, text }: CodeFile): [string, string][] {
  if (path.endsWith('.json')) return [[path, `module.exports = ${text}`]]
  if (!/\.[cm]?[jt]sx?$/i.test(path)) return []
  const ts: typeof TypeScript = require('typescript')
  try {
    const { outputText } = ts.transpileModule(text, {
      fileName: path.replace(/\.[cm]([jt]s)$/i, '.$1'), // By its own ending it would stay a module of its sort.
      compilerOptions: {
        target: ts.ScriptTarget.ES2022,
        module: ts.ModuleKind.CommonJS,
        esModuleInterop: true,
        jsx: ts.JsxEmit.React,
      },
    })
    return [[path, outputText]]
  } catch (error) {
    if (error instanceof RangeError) return [[path, "throw new SyntaxError('It is nested too deeply.')"]]
    throw error
  }
}
