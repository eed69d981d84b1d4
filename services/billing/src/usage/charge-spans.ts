/** The spans of charges: one in the trace of each event that is charged, linked to those that are charged with it. */
import type { LoggedEvent } from '@millhand/eventlog'
import { attributes, linksTo, parseTraceContext, spans, startSpan, tracer } from '@millhand/telemetry'

/** Settles as `posting` does, which posts what the events cost. */
export async function charging(events: readonly LoggedEvent[], posting: Promise<void>): Promise<void> {
  if (tracer() === undefined) return await posting
  const traces = events.map(({ traceparent }) => parseTraceContext(traceparent))
  const begun = events.map(({ key }, at) =>
    startSpan(spans.charge, traces[at], {
      kind: 'consumer',
      attributes: {
        [namesInstance(key) ? attributes.instanceId : attributes.taskId]: key,
        [attributes.batchSize]: events.length,
      },
      links: traces[at]?.isSampled ? linksTo(traces, at) : [],
    }),
  )
  try {
    await posting
    for (const span of begun) span?.end()
  } catch (error) {
    for (const span of begun) span?.end(error)
    throw error
  }
}

const namesInstance = (key: string): boolean => key.startsWith('inst_')
