/** Says that it serves: in words on a terminal, as one JSON line for a program. */
import { isatty } from 'node:tty'
import { standardOutput } from '@millhand/telemetry'
import type { EnsuredKeys } from './bootstrap-keys.ts'
import type { Local } from './local.ts'

interface Out {
  readonly isTTY: boolean
  write(text: string): unknown
}

const standardOut = (): Out => ({ isTTY: isatty(1), write: standardOutput().write })

export function printReadyLine({ url, grpc, metrics, keys, models }: Local, out: Out = standardOut()): void {
  if (!out.isTTY) {
    out.write(`${JSON.stringify({ ready: true, http: url, grpc, metrics })}\n`)
    return
  }
  const bold = (text: string) => (process.env.NO_COLOR ? text : `\u001b[1m${text}\u001b[22m`)
  const digits = models.get('digits')
  const input = digits?.status === 'ready' ? digits.exampleInput : undefined
  const lines = [
    '',
    `  ${bold('Millhand')} serves on ${bold(url)}   reference: ${url}/docs`,
    '',
    ...keyLines(keys),
    `  Operators: pnpm millhand --help   gRPC: ${grpc}   metrics: ${metrics}/metrics`,
    '',
    ...(input === undefined
      ? []
      : ['  Try it:', '', `  ${firstCall(url, keys.made.live ?? '$MILLHAND_KEY', input)}`, '']),
  ]
  out.write(`${lines.join('\n')}\n`)
}

/** Keys are shown by the start that made them, never one that a variable sets. */
function keyLines({ file, made }: EnsuredKeys): string[] {
  if (file === undefined) return []
  const shown = Object.entries(made).map(([mode, key]) => `  ${mode} key  ${key}`)
  if (shown.length === 0) return [`  Keys are in ${file}`, '']
  return [...shown, `  Shown once; kept in ${file}`, '']
}

const firstCall = (url: string, key: string, input: string): string =>
  `curl ${url}/v1/tasks -H "Authorization: Bearer ${key}" -H 'Content-Type: application/json' -H 'Prefer: wait=30' ` +
  `-d '${JSON.stringify({ type: 'inference', model: 'digits', input })}'`
