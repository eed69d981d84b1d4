/** Some lines, run together: a result for each, whatever one of them does to the process. */
import { type ItemResult, type RunItem, RunnerGone } from '@millhand/child-process'
import { excerpt, type InputFormat } from '@millhand/model'
import { failure } from '../outcome.ts'
import type { Warm } from '../warm-processes.ts'
import type { Line } from './line-reader.ts'

/** What a line of the output has beside its index, as fields of JSON. */
export interface LineResult {
  readonly json: string
  readonly isFailed: boolean
}

export interface PortionDeps {
  readonly warm: Warm
  readonly inputFormat: InputFormat
  readonly parameters: RunItem['parameters']
  /** Called when the process begins with lines. */
  readonly onBegin: () => void
  /** Called with the milliseconds that it computed. */
  readonly onCompute: (ms: number) => void
  /** Whether the run is to stop: then no line is to blame for the end of its process. */
  readonly isStopped: () => boolean
  /** Counts lines that have ended their process, each alone. Throws where there are too many. */
  readonly onCrash: (error: RunnerGone) => void
}

/**
 * A result for each line, in order. Where the process ends of itself each half runs by itself, down to the one line that
 * ends it: that one fails. Rejects with what else keeps lines from running, and where the run is stopped.
 */
export async function runPortion(deps: PortionDeps, lines: readonly Line[]): Promise<LineResult[]> {
  const results = lines.map(line => inputOf(line, deps.inputFormat))
  const inputs = results.flatMap((input, at) => (typeof input === 'string' ? [{ input, at }] : []))
  const outputs =
    inputs.length > 0
      ? await runAll(
          deps,
          inputs.map(({ input }) => input),
        )
      : []
  inputs.forEach(({ at }, index) => {
    results[at] = outputs[index] as LineResult
  })
  return results as LineResult[]
}

async function runAll(deps: PortionDeps, inputs: readonly string[]): Promise<LineResult[]> {
  try {
    return await runOnce(deps, inputs)
  } catch (error) {
    if (deps.isStopped() || !(error instanceof RunnerGone) || error.reason === 'not_started') throw error
    if (inputs.length === 1) {
      deps.onCrash(error)
      return [faultOfCrash(error)]
    }
    const half = Math.ceil(inputs.length / 2)
    return [...(await runAll(deps, inputs.slice(0, half))), ...(await runAll(deps, inputs.slice(half)))]
  }
}

async function runOnce(deps: PortionDeps, inputs: readonly string[]): Promise<LineResult[]> {
  const { items, computeMs } = await deps.warm.run(
    () => {
      if (deps.isStopped()) throw new RunnerGone('killed', 'the run was stopped')
      deps.onBegin()
      return inputs.map(input => ({ input, parameters: deps.parameters }))
    },
    async () => {}, // What streams from a single task has no place in a line.
  )
  deps.onCompute(computeMs)
  const results: LineResult[] = []
  for (const [at, input] of inputs.entries()) {
    const item = items[at]
    // There was no room for it beside the others.
    const isAlone = inputs.length === 1
    if (item && !item.ok && item.retryable && !isAlone) results.push(...(await runAll(deps, [input])))
    else results.push(await resultOf(item))
  }
  return results
}

async function resultOf(item: ItemResult | undefined): Promise<LineResult> {
  if (item === undefined) return fault('model_failed', 'The model gave no answer.')
  if (!item.ok) return fault(item.code, item.message)
  if ('output' in item) return output(item.output)
  if (!('file' in item)) return fault('model_failed', 'The output names files, which a line can’t.')
  try {
    return output((await item.file.handle.readFile()).toString())
  } finally {
    await item.file.handle.close()
  }
}

/** One line of JSON: the process that wrote it may be no longer ours. */
function output(json: string): LineResult {
  try {
    const value: unknown = JSON.parse(json)
    return { json: `"output":${json.includes('\n') ? JSON.stringify(value) : json}`, isFailed: false }
  } catch {
    return fault('model_failed', 'The model’s output is no JSON.')
  }
}

function faultOfCrash({ reason, message }: RunnerGone): LineResult {
  if (reason === 'out_of_memory') return fault(reason, 'The line needed more memory than a run may have.')
  if (reason === 'processor_limit') return fault(reason, message)
  return fault('model_crashed', 'The process that ran the model ended unexpectedly.')
}

function fault(code: string, said: string): LineResult {
  const { value } = failure(code, said, false)
  const message = typeof value === 'object' ? value.message : said
  return { json: `"error":${JSON.stringify({ code, message })}`, isFailed: true }
}

/** A line as the model's input: what a string of JSON says, else the line itself for what reads JSON. */
function inputOf(line: Line, format: InputFormat): string | LineResult {
  if (line === undefined) return fault('payload_too_large', 'The line is longer than an input may be.')
  if (line.startsWith('"')) {
    try {
      return JSON.parse(line) as string
    } catch (error) {
      return fault('model_input_invalid', `the line is no JSON: ${excerpt((error as Error).message, 128)}`)
    }
  }
  return format === 'json' || format === 'tensors'
    ? line
    : fault('model_input_invalid', 'the line must be a string of JSON, in quotes')
}
