import { backoff, type Clock, retry } from '@millhand/process'
import type { EventName, Log } from '@millhand/telemetry'

const waitMs = backoff({ baseMs: 100, maxMs: 1_000, random: () => Math.random() })

/** Tries until it succeeds; undefined when the signal ends before. */
export async function insist<R>(
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  event: EventName,
  signal: AbortSignal,
  work: () => Promise<R>,
): Promise<R | undefined> {
  if (signal.aborted) return undefined
  const onFailure = (error: unknown, attempt: number) => log.warn(event, { error, attempt })
  return await retry(work, { clock, waitMs, signal, onFailure }).catch(() => undefined)
}
