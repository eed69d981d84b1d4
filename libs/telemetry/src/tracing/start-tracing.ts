/** Turns traces on, where the environment says so. */
import type { Log } from '../log.ts'
import { setTracer } from './tracer.ts'
import { tracingConfig } from './tracing-config.ts'

/** Traces that are on; closing them sends what waits. */
export interface Tracing {
  close(): Promise<void>
}

/**
 * Reads OpenTelemetry's variables and, where traces are on, loads its SDK and sets the tracer; else nothing is loaded.
 * To be called before the parts of the process are made. `service` is what traces call this process unless a variable does.
 *
 * @throws Error which names the variable that is wrong
 */
export async function startTracing(env: NodeJS.ProcessEnv, service: string, log: Log): Promise<Tracing> {
  const config = tracingConfig(env)
  if (config === undefined) return { close: async () => {} }
  const { createOtlpTracer } = await import('./otlp-tracer.ts')
  const { tracer, shutDown } = await createOtlpTracer(config, service, log)
  setTracer(tracer)
  log.info('tracing.started', { protocol: config.protocol, ratio: config.sampler.ratio })
  return {
    async close() {
      const late = Promise.withResolvers<void>()
      const timer = setTimeout(late.resolve, CLOSE_MS)
      // What can't be sent is reported by the tracer.
      await Promise.race([shutDown().catch(() => {}), late.promise])
      clearTimeout(timer)
    },
  }
}

/** A collector that is away must not keep a process from its end. */
const CLOSE_MS = 2_000
