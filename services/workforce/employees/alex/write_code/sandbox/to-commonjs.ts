/** JavaScript and TypeScript as CommonJS, which modules of both sorts become. */
import { createRequire } from 'node:module'
import type TypeScript from 'typescript'
import type { CodeFile } from '../result.ts'

const require = createRequire(import.meta.url)

/** The source by its path; nothing for what is no script. */
export function toCommonJs({ path, text }: CodeFile): [string, string][] {
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
