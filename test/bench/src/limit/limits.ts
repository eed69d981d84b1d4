/** Starts the limits, each in a process of its own. */
import { type Child, startChild } from '../child.ts'
import type { Target } from '../workbench.ts'
import type { OnnxRuns } from './onnx.ts'
import type { RawHttp } from './raw-http.ts'
import type { SqliteInserts } from './sqlite.ts'

/** node:http that answers every request with 201 and so many bytes. */
export async function rawHttp(options: RawHttp): Promise<Target & AsyncDisposable> {
  const child = startChild<RawHttp, number>(new URL('raw-http.ts', import.meta.url))
  const port = await child.ask(options)
  return { pid: child.pid, port, [Symbol.asyncDispose]: () => child[Symbol.asyncDispose]() }
}

/** SQLite alone; answers with pairs of document and event a second. */
export const sqliteInserts = (): Child<SqliteInserts, number> => startChild(new URL('sqlite.ts', import.meta.url))

/** ONNX Runtime alone; answers with items a second. */
export const onnxRuns = (): Child<OnnxRuns, number> => startChild(new URL('onnx.ts', import.meta.url))
