/** Documents whose code blocks are run: what they hold, and what of it is true. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** A fenced block of a Markdown document. */
export interface Block {
  /** The first word of its info string. */
  readonly language: string
  /** The others: `start` and `test` for the commands of those names, `no-run` for what else is not to be run here. */
  readonly flags: readonly string[]
  readonly code: string
  /** Where its code begins, from 1. */
  readonly line: number
  /** The paragraph before it. */
  readonly before: string
}

export interface Place {
  /** The folder in which commands run. */
  readonly folder: string
  /** The server that is meant by the default address. */
  readonly url: string
}

const DEFAULT_ADDRESS = /http:\/\/(127\.0\.0\.1|localhost):8080/g

export function blocks(markdown: string): Block[] {
  const found: Block[] = []
  const lines = markdown.split('\n')
  for (let at = 0; at < lines.length; at++) {
    const fence = /^(\s*)```(\S*)(.*)$/.exec(lines[at] as string)
    if (!fence) continue
    const end = lines.findIndex((line, later) => later > at && line.trim() === '```')
    if (end === -1) throw new Error(`the block of line ${at + 1} has no end`)
    found.push({
      language: fence[2] as string,
      flags: (fence[3] as string).split(/\s+/).filter(Boolean),
      code: lines.slice(at + 1, end).join('\n'),
      line: at + 2,
      before: paragraphBefore(lines, at),
    })
    at = end
  }
  return found
}

/**
 * Runs the `sh` blocks of a document that have no flag in order, in one shell, so that variables live on; and holds `json` blocks that come after "answers" to the shape of the output before them.
 * Resolves to what is wrong.
 */
export async function faultsOf(markdown: string, place: Place): Promise<string[]> {
  const all = blocks(markdown)
  const run = all.filter(block => block.language === 'sh' && block.flags.length === 0)
  const { outputs, failure } = await runAll(run, place)
  if (failure !== undefined) return [failure]
  return all.flatMap((block, at) => {
    const source = all[at - 1]
    if (block.language !== 'json' || !source || !/\banswers?\b/i.test(block.before)) return []
    const output = outputs.get(source)
    if (output === undefined) return []
    const shown = parse(block.code)
    const real = parse(output)
    if (shown === undefined) return [`line ${block.line}: is no JSON`]
    if (real === undefined) return [`line ${source.line}: answered no JSON but ${output.slice(0, 500)}`]
    return shapeFaults(shown, real, '').map(fault => `line ${block.line}: ${fault}`)
  })
}

/** Where `real` lacks what `shown` promises: every key, with a value of the same kind. */
export function shapeFaults(shown: unknown, real: unknown, path: string): string[] {
  if (kind(shown) !== kind(real)) return [`${path || 'the answer'} is ${kind(real)} and not ${kind(shown)}`]
  if (Array.isArray(shown) && Array.isArray(real))
    return shown.flatMap((each, at) =>
      at < real.length ? shapeFaults(each, real[at], `${path}[${at}]`) : [`${path}[${at}] is not there`],
    )
  if (kind(shown) !== 'object') return []
  const held = real as Record<string, unknown>
  return Object.entries(shown as object).flatMap(([key, value]) =>
    Object.hasOwn(held, key)
      ? shapeFaults(value, held[key], path ? `${path}.${key}` : key)
      : [`${path}.${key} is not there`],
  )
}

async function runAll(run: readonly Block[], { folder, url }: Place) {
  const mark = `--- end of block ${process.pid} ---`
  const script = run.flatMap(({ code }) => [code.replaceAll(DEFAULT_ADDRESS, url), `printf '%s' '${mark}'`])
  const shell = spawn('bash', ['-euo', 'pipefail', '-s'], {
    cwd: folder,
    stdio: 'pipe',
  })
  let output = ''
  let errors = ''
  shell.stdout.setEncoding('utf8').on('data', text => {
    output += text
  })
  shell.stderr.setEncoding('utf8').on('data', text => {
    errors += text
  })
  shell.stdin.end(script.join('\n'))
  const [code] = await once(shell, 'close')
  const parts = output.split(mark)
  const failed = run[parts.length - 1]
  const outputs = new Map(run.map((block, at) => [block, parts[at] ?? '']))
  if (code === 0) return { outputs, failure: undefined }
  return { outputs, failure: `line ${failed?.line}: exit code ${code}\n${parts.at(-1)}${errors}` }
}

function paragraphBefore(lines: readonly string[], at: number): string {
  let end = at
  while (end > 0 && lines[end - 1]?.trim() === '') end--
  let begin = end
  while (begin > 0 && lines[begin - 1]?.trim() !== '') begin--
  return lines.slice(begin, end).join('\n')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function kind(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'a list' : typeof value
}
