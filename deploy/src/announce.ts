/** Says that it serves: in words on a terminal, as one JSON line for a program. */
import type { Local } from './local.ts'

export function announce({ url, keys, models }: Local, out: NodeJS.WriteStream = process.stdout): void {
  if (!out.isTTY) {
    out.write(`${JSON.stringify({ ready: true, http: url })}\n`)
    return
  }
  const bold = (text: string) => (process.env.NO_COLOR ? text : `\u001b[1m${text}\u001b[22m`)
  const digits = models.get('digits')
  const input = digits?.status === 'ready' ? digits.exampleInput : undefined
  const key = keys.fresh ? keys.live : '$MILLHAND_KEY'
  const lines = [
    '',
    `  ${bold('Millhand')} serves on ${bold(url)}   reference: ${url}/docs`,
    '',
    ...(keys.fresh
      ? [`  live key  ${keys.live}`, `  test key  ${keys.test}`, `  Shown once. They are kept in ${keys.file}`, '']
      : keys.file === undefined
        ? []
        : [`  Keys are in ${keys.file}`, '']),
    ...(input === undefined ? [] : ['  Try it:', '', `  ${firstCall(url, key, input)}`, '']),
  ]
  out.write(`${lines.join('\n')}\n`)
}

const firstCall = (url: string, key: string, input: string): string =>
  `curl ${url}/v1/tasks -H "Authorization: Bearer ${key}" -H 'Content-Type: application/json' -H 'Prefer: wait=30' ` +
  `-d '${JSON.stringify({ type: 'inference', model: 'digits', input })}'`
