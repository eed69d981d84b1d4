/** Tells the log who is refused, and not at every call: who is refused tries again. */
import type { DescMethod } from '@bufbuild/protobuf'
import type { ConnectError } from '@connectrpc/connect'
import type { Clock } from '@millhand/process'
import type { Log } from '@millhand/telemetry'

/** A caller without a good token is nobody. */
type Report = (caller: string | undefined, method: DescMethod, refusal: ConnectError) => void

/** Each caller, method and reason once a minute. What is remembered is bounded: only we make callers and methods. */
export function reportRefusals(log: Log, clock: Pick<Clock, 'monotonic'>): Report {
  const told = new Map<string, number>()
  return (caller = 'nobody', { parent, name }, { code, rawMessage: reason }) => {
    const method = `${parent.typeName}/${name}`
    const key = `${caller} ${method} ${code}`
    const now = clock.monotonic()
    if (now - (told.get(key) ?? Number.NEGATIVE_INFINITY) < EVERY_MS) return
    told.set(key, now)
    log.warn('rpc.refused', { caller, method, reason })
  }
}

const EVERY_MS = 60_000
