/** Documents whose code blocks are run: what they hold, and what of it is true. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { inherited } from './server.ts'

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
  /** Where its metrics are. */
  readonly metrics?: string | undefined
  /** Variables that lead the operator's command line to it. */
  readonly env?: NodeJS.ProcessEnv
}

/** The command line as users call it, and as it can be called where nothing is installed anew. */
const COMMAND_LINE = /npx -y pnpm@12 --silent millhand\b/g
const PROGRAM = 'node --disable-warning=ExperimentalWarning deploy/src/operator/millhand.ts'
const DEFAULT_ADDRESS = /http:\/\/(127\.0\.0\.1|localhost):8080/g
const METRICS_ADDRESS = 'http://127.0.0.1:9464'

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
 * Runs the `sh` blocks of a document that have no flag in order, in one shell, so that variables live on; and holds
 * `json` blocks that come after "answers" to the shape of the output before them. A call that is answered 400 or more is
 * a fault, unless the `json` block behind it shows that status. Resolves to what is wrong.
 */
export async function faultsOf(markdown: string, place: Place): Promise<string[]> {
  const all = blocks(markdown)
  const run = all.flatMap((block, at) =>
    block.language === 'sh' && block.flags.length === 0
      ? [{ block, isRefused: refusal(all[at + 1]) !== undefined }]
      : [],
  )
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
    const status = refusal(block)
    if (status !== undefined && statusOf(real) !== status) return [`line ${block.line}: answered ${statusOf(real)}`]
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

interface Run {
  readonly block: Block
  /** Whether its call is to be answered 400 or more. */
  readonly isRefused: boolean
}

/**
 * A call that fails ends the whole shell, wherever in it the call is: `export X=$(…)`, a pipe and `||` would make it
 * succeed. One that waits for a task's end goes on waiting: a machine that is full may take longer than is asked for.
 */
const HELD_CURL = `held() {
  command curl --fail-with-body "$@" && return
  local code=$?
  [ $code -eq 23 ] && return $code # nobody reads on
  echo "curl ended with $code: $*" >&2
  kill $$
}
curl() {
  case "$*" in *'Prefer: wait='*) ;; *) held "$@"; return ;; esac
  local answer url id alive='^[{]"object":"[a-z_]*task","id":"([a-z_0-9]+)"[^{]*"status":"(queued|running)"'
  answer=$(held "$@") || return
  for url; do [[ $url == http* ]] && break; done
  for _ in 1 2 3 4 5; do
    [[ $answer =~ $alive ]] && id=\${BASH_REMATCH[1]} || break
    answer=$(held -s -H "Authorization: Bearer $MILLHAND_KEY" -H 'Prefer: wait=60' "\${url%/"$id"}/$id") || return
  done
  printf '%s' "$answer"
}`

async function runAll(run: readonly Run[], { folder, url, metrics = METRICS_ADDRESS, env }: Place) {
  const mark = `--- end of block ${process.pid} ---`
  const script = run.flatMap(({ block: { code }, isRefused }) => [
    isRefused ? 'unset -f curl' : HELD_CURL,
    code.replaceAll(DEFAULT_ADDRESS, url).replaceAll(METRICS_ADDRESS, metrics).replaceAll(COMMAND_LINE, PROGRAM),
    `printf '%s' '${mark}'`,
  ])
  const shell = spawn('bash', ['-euo', 'pipefail', '-s'], {
    cwd: folder,
    env: { ...inherited(), ...env },
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
  const failed = run[parts.length - 1]?.block
  const outputs = new Map(run.map(({ block }, at) => [block, parts[at] ?? '']))
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

/** The status of a problem that a `json` block shows. */
function refusal(block: Block | undefined): number | undefined {
  const status = block?.language === 'json' ? statusOf(parse(block.code)) : undefined
  return status !== undefined && status >= 400 ? status : undefined
}

function statusOf(answer: unknown): number | undefined {
  if (typeof answer !== 'object' || answer === null || !('status' in answer)) return undefined
  return typeof answer.status === 'number' ? answer.status : undefined
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
