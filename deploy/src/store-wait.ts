/** A start whose store can't be used yet waits: it answers 503 meanwhile, and does not end. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { fail, problemOf } from '@millhand/api'
import { systemClock as clock, type Runner } from '@millhand/process'
import { DiskRoom, faultOf, StoreDamaged } from '@millhand/store/sqlite'
import type { Log } from '@millhand/telemetry'
import { explainListenFault } from './listen-fault.ts'
import type { LocalConfig } from './local-config.ts'

interface WaitReason {
  /** What it waits for, for the operator. */
  readonly reason: string
  /** `room` on the disk is looked for again and again; a damaged store needs the operator, and a start after that. */
  readonly until: 'room' | 'stopped'
}

/** What a start that failed with this error waits for; undefined where waiting is no use. */
export function waitReasonOf(error: unknown): WaitReason | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof StoreDamaged) return { reason: cause.message, until: 'stopped' }
    if (faultOf(cause) !== 'full') continue
    return {
      reason: 'the disk of MILLHAND_DATA_DIR is full, or its quota; make room, and the start goes on',
      until: 'room',
    }
  }
  return undefined
}

type Waiting = {
  readonly config: Pick<LocalConfig, 'http' | 'dataDir' | 'diskReserveBytes' | 'publicUrl'>
  runner: Runner
  log: Log
}

/** Answers 503 until the start can be tried again: undefined then. The exit code where the runner is stopped before. */
export async function waitForStore(
  { reason, until }: WaitReason,
  { config, runner, log }: Waiting,
): Promise<number | undefined> {
  const room = new DiskRoom({ folder: config.dataDir, reserveBytes: config.diskReserveBytes, log })
  const found = Promise.withResolvers<undefined>()
  runner.own(await serveUnready(config, reason), 'answers of a waiting start')
  if (until === 'room') runner.run('room', signal => untilRoom(room, signal).then(found.resolve))
  const exitCode = await Promise.race([runner.waitForExit(), found.promise])
  if (exitCode === undefined) await runner.stop('the start is tried again')
  return exitCode
}

const RETRY_MS = 2_000

async function untilRoom(room: DiskRoom, signal: AbortSignal): Promise<undefined> {
  do {
    await clock.sleep(RETRY_MS, signal)
    // The folder may not be there yet: then the start itself finds whether it can be made.
    await room.look().catch(() => {})
  } while (room.isLow)
}

/** The reason is for the operator, so it is in the answer of `/readyz` alone. */
async function serveUnready({ http, publicUrl }: Waiting['config'], reason: string) {
  const server = createServer((req, res) => {
    req.resume()
    const path = URL.parse(req.url ?? '', 'http://waiting')?.pathname
    const headers = { 'cache-control': 'no-store', connection: 'close' }
    if (path === '/healthz') {
      res.writeHead(200, { ...headers, 'content-type': 'application/json' }).end('{"status":"ok"}')
      return
    }
    const detail = path === '/readyz' ? `Not ready: store (${reason}).` : 'The service can not answer at the moment.'
    const problem = problemOf(fail('unavailable', detail), crypto.randomUUID(), publicUrl)
    const retry = { 'retry-after': '10', 'x-should-retry': 'true' }
    res.writeHead(problem.status, { ...headers, ...retry, 'content-type': 'application/problem+json' })
    res.end(JSON.stringify(problem))
  })
  server.listen(http)
  await explainListenFault('MILLHAND_HTTP_ADDR', once(server, 'listening'))
  return {
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
