/** Reports the uptimes and request counts of this gateway to the status service: every ten seconds, and at the end. */
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { type CallOptions, type Client, Code, ConnectError } from '@connectrpc/connect'
import type { StatusService } from '@millhand/api/gen/millhand/status/v1/status_service_pb.ts'
import { type Clock, everyInterval } from '@millhand/process'
import type { Log } from '@millhand/telemetry'
import type { Components } from './components.ts'
import type { RequestCounts } from './request-counts.ts'

export interface ReportsDeps {
  readonly status: Client<typeof StatusService>
  readonly components: Components
  readonly counts: RequestCounts
  readonly clock: Clock
  readonly log: Log
}

export interface Reports {
  /** Begins to observe and to report. */
  start(): void
  /** Stops sampling, because a stop is no outage. Reports the rest once all requests are answered, for at most two seconds. */
  stop(answerAll: () => Promise<void>): Promise<void>
}

const SAMPLE_EVERY_MS = 1_000
/** What a gateway that is killed loses, and how far `/status` is behind at most, but for its cache. */
const REPORT_EVERY_MS = 10_000
const CALL_MS = 5_000
const LAST_CALL_MS = 2_000

/** Another gateway after each start: its reports count up from 1. */
export function createReports({ status, components, counts, clock, log }: ReportsDeps): Reports {
  const gatewayId = crypto.randomUUID()
  const ending = new AbortController()
  /** What is not known to have arrived, the oldest first. It is sent again as it is, so that it counts once. */
  const unsent: Report[] = []
  let sequence = 0
  let day = dayOf(clock)
  let reportedAt = clock.monotonic()
  let since = clock.now()
  let sending: Promise<void> | undefined
  let ticking: Promise<void> | undefined

  function write(uptimes = components.take()) {
    sequence++
    const observed = { components: [...uptimes], ...counts.take(), since: timestampFromMs(since) }
    unsent.push({ gatewayId, sequence, day, ...observed })
    reportedAt = clock.monotonic()
    since = clock.now()
  }

  async function sendAll(options: CallOptions) {
    for (let report = unsent[0]; report !== undefined; report = unsent[0]) {
      try {
        await status.report(report, options)
      } catch (error) {
        // One that is refused, as by a service whose clock is days away, would be refused again.
        if (ConnectError.from(error).code !== Code.InvalidArgument) throw error
        log.warn('status.report_refused', { error })
      }
      unsent.shift()
    }
  }

  const failed = (error: unknown) => log.debug('status.report_failed', { error })

  function send() {
    sending ??= sendAll({ timeoutMs: CALL_MS, signal: ending.signal })
      .catch(failed)
      .finally(() => {
        sending = undefined
      })
  }

  function tick() {
    components.sample()
    const isOver = dayOf(clock) !== day
    const isDue = clock.monotonic() - reportedAt >= REPORT_EVERY_MS
    // While one waits to be taken, the next grows; only the end of a day makes two of them.
    if (isOver || (isDue && unsent.length === 0)) write()
    if (isOver) day = dayOf(clock)
    if (unsent.length > 0) send()
  }

  return {
    start() {
      ticking = everyInterval(clock, SAMPLE_EVERY_MS, ending.signal, tick)
    },
    async stop(answerAll) {
      const uptimes = components.take()
      ending.abort()
      await answerAll()
      if (ticking === undefined) return
      await ticking
      await sending
      write(uptimes)
      await sendAll({ timeoutMs: LAST_CALL_MS }).catch(failed)
    },
  }
}

type Report = Parameters<ReportsDeps['status']['report']>[0]

const dayOf = (clock: Clock) => new Date(clock.now()).toISOString().slice(0, 10)
