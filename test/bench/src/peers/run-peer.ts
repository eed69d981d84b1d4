/** Runs a script that measures another system, and reads what it says. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

/** One workload of a peer. */
export interface PeerLine {
  readonly workload: string
  readonly rps: number
  readonly p50_ms: number
  readonly p99_ms: number
}

interface PeerRun {
  readonly folder: string
  readonly name: string
  /** A mode, or numbers of connections. */
  readonly words: readonly string[]
  readonly seconds: number
}

/** Resolves with a line for each workload. Rejects where the script fails, or something failed in what it measured. */
export async function runPeer({ folder, name, words, seconds }: PeerRun): Promise<PeerLine[]> {
  const script = `run-${name}.sh`
  const length = String(Math.max(1, Math.round(seconds)))
  const child = spawn(`./${script}`, words, {
    cwd: folder,
    // One run of each: the rounds are the benchmark's. What a queue sustains is not in its table, and is kept short.
    env: { ...process.env, CLOSED_S: length, RUN_S: length, WARM_S: '2', REPEAT: '1', OPEN_S: '1', STEP_S: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // The script ends what it started.
  const stop = () => child.kill('SIGTERM')
  process.once('exit', stop)
  try {
    const [output, faults, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    if (code !== 0) throw new Error(`${script} ended with ${code}:\n${faults.slice(-2_000)}`)
    return peerLines(script, output)
  } finally {
    process.removeListener('exit', stop)
  }
}

/** Scripts print what their installers say, and a line of JSON for each workload. */
function peerLines(script: string, output: string): PeerLine[] {
  const lines = output.split('\n').filter(line => line.startsWith('{'))
  if (lines.length === 0) throw new Error(`${script} printed no figure.`)
  return lines.map(line => {
    const { workload, rps, p50_ms, p99_ms, errors, lost = 0 } = JSON.parse(line)
    if (!(rps > 0) || errors !== 0 || lost !== 0) throw new Error(`${script} measured failures: ${line}`)
    return { workload, rps, p50_ms, p99_ms }
  })
}
