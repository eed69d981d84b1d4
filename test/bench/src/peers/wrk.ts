/** Puts the peers' own load on a server of ours: the same program, connections and seconds. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

interface WrkLoad {
  readonly url: string
  readonly key: string
  readonly body: string
  /** Seconds of `Prefer: wait`. */
  readonly wait?: number
  readonly connections: number
  readonly seconds: number
  /** For the script that tells wrk what to send. */
  readonly folder: string
}

interface WrkResult {
  readonly requests: number
  readonly rps: number
  readonly p50_ms: number
  readonly p99_ms: number
}

/** Rejects where an answer was an error or none came. */
export async function wrk(load: WrkLoad): Promise<WrkResult> {
  const script = join(load.folder, 'post.lua')
  writeFileSync(script, postScript(load))
  const seconds = Math.max(1, Math.round(load.seconds))
  const words = ['-t1', `-c${load.connections}`, `-d${seconds}s`, '--timeout', '10s', '-s', script, load.url]
  const { stdout } = await promisify(execFile)('wrk', words)
  const { errors, ...result } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
  if (errors > 0) throw new Error(`${errors} of ${result.requests} requests failed:\n${stdout}`)
  return result
}

const postScript = ({ key, body, wait }: WrkLoad) => `
wrk.method = "POST"
wrk.body = [==[${body}]==]
wrk.headers["content-type"] = "application/json"
wrk.headers["authorization"] = "Bearer ${key}"
${wait === undefined ? '' : `wrk.headers["prefer"] = "wait=${wait}"`}
function done(s, l)
  io.write(string.format('{"requests":%d,"rps":%.1f,"p50_ms":%.3f,"p99_ms":%.3f,"errors":%d}\\n',
    s.requests, s.requests / (s.duration / 1e6), l:percentile(50) / 1e3, l:percentile(99) / 1e3,
    s.errors.connect + s.errors.read + s.errors.write + s.errors.status + s.errors.timeout))
end
`
