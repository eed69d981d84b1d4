/** Turns traces and the export of the log on, where the environment says so. */

import type { Log } from './log.ts'
import { setLineExporter } from './log-export/line-exporter.ts'
import { logExportConfig } from './log-export/log-export-config.ts'
import { setTracer } from './tracing/tracer.ts'
import { tracingConfig } from './tracing/tracing-config.ts'

/** What is on; closing it sends what waits. */
export interface Telemetry {
  close(): Promise<void>
}

/**
 * Reads OpenTelemetry's variables and, where traces or the export of the log are on, loads its SDK; else nothing is loaded.
 * To be called before the parts of the process are made. `service` is what a collector sees this process called unless a
 * variable names it.
 *
 * @throws Error which names the variable that is wrong
 */
export async function startTelemetry(env: NodeJS.ProcessEnv, service: string, log: Log): Promise<Telemetry> {
  const traces = tracingConfig(env)
  const lines = logExportConfig(env)
  const shutDowns: (() => Promise<void>)[] = []
  if (lines !== undefined) {
    const { createOtlpLines } = await import('./log-export/otlp-lines.ts')
    const exported = await createOtlpLines(lines, service, log)
    setLineExporter(exported.lines)
    shutDowns.push(() => {
      setLineExporter(undefined)
      return exported.shutDown()
    })
    log.info('log_export.started', { protocol: lines.protocol })
  }
  if (traces !== undefined) {
    const { createOtlpTracer } = await import('./tracing/otlp-tracer.ts')
    const { tracer, shutDown } = await createOtlpTracer(traces, service, log)
    setTracer(tracer)
    shutDowns.push(shutDown)
    log.info('tracing.started', { protocol: traces.protocol, ratio: traces.sampler.ratio })
  }
  return {
    async close() {
      const late = Promise.withResolvers<void>()
      const timer = setTimeout(late.resolve, CLOSE_MS)
      // What can't be sent is counted and reported.
      await Promise.race([Promise.allSettled(shutDowns.map(shutDown => shutDown())), late.promise])
      clearTimeout(timer)
    },
  }
}

/** A collector that is away must not keep a process from its end. */
const CLOSE_MS = 2_000
