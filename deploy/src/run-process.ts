/** One service's process from its start to its end. */
import { systemClock as clock, createRunner, type Runner } from '@millhand/process'
import { type Log, processMetrics, standardOutput, startTelemetry } from '@millhand/telemetry'
import { stopWithPackageManager } from './package-manager.ts'
import type { Process, Started } from './process.ts'
import { processLog } from './process-log.ts'
import { serveMetrics } from './serve-metrics.ts'

export interface ProcessOptions {
  /** What the ready line calls it. */
  readonly service: string
  readonly stopTimeoutMs: number
  /** Ends at once where standard input does: with whoever holds its other end. */
  readonly stopsWithStdin: boolean
}

/** Starts it by its environment; resolves with its exit code when it has stopped. Rejects where it can't start. */
export async function runProcess(chosen: Process, options: ProcessOptions): Promise<number> {
  const prepared = chosen.prepare(process.env)
  const log = processLog(prepared.logLevel, options.service)
  const runner = createRunner({ log, stopTimeoutMs: options.stopTimeoutMs, drainMs: prepared.drainMs })
  runner.handleSignals()
  stopWithPackageManager(runner)
  if (options.stopsWithStdin) {
    process.stdin.on('end', () => process.exit(1)).on('error', () => process.exit(1))
    process.stdin.resume()
  }
  try {
    const telemetry = await startTelemetry(process.env, `millhand-${options.service}`, log)
    runner.own(telemetry, 'telemetry')
    // A start that waits for others for ever must not keep the process from its end.
    const started = await Promise.race([startAll(prepared, runner, log), runner.waitForExit()])
    if (typeof started === 'number') return started
    runner.run('ready line', signal => printReadyLine(options.service, started, signal))
    return await runner.waitForExit()
  } catch (error) {
    await runner.stop('start failed')
    throw error
  }
}

async function startAll(
  { start, metrics }: ReturnType<Process['prepare']>,
  runner: Runner,
  log: Log,
): Promise<Started> {
  const started = await start(runner, log)
  if (metrics === undefined) return started
  const url = await serveMetrics(metrics, { metrics: processMetrics, runner, log })
  log.info('metrics.served', { url: `${url}/metrics` })
  return { ...started, addresses: { ...started.addresses, metrics: url } }
}

/** Says that it serves, once it does: one line of JSON on standard output. */
async function printReadyLine(service: string, { addresses, health }: Started, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !health.ready().ready) await clock.sleep(50, signal).catch(() => {})
  if (!signal.aborted) standardOutput().write(`${JSON.stringify({ ready: true, service, ...addresses })}\n`)
}
