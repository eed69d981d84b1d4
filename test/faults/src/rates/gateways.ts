/** Gateways that share request rates through one owner, with a network between them, on a clock that is set by hand. */
import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { RateService } from '@millhand/api/gen/millhand/identity/v1/rate_service_pb.ts'
import { sharedLimiter } from '@millhand/gateway'
import { createRateService } from '@millhand/identity/rate'
import { singleReplica } from '@millhand/lease'
import type { ManualClock } from '@millhand/process'
import { createDirectTransport } from '@millhand/rpc'
import { createLog } from '@millhand/telemetry'
import type { Random } from '../random.ts'
import type { Gateway } from './callers.ts'

/** The most that a message takes one way: milliseconds. */
export const DELAY_MS = 10

export interface Gateways {
  /** Those that live. */
  readonly all: readonly Gateway[]
  /** One of them, at random. */
  any(): Gateway
  start(): void
  /** Ends one as a power cut does. */
  kill(): void
  /** What gateways have logged, by event. */
  readonly logged: Map<string, number>
}

/** The owner's side of the network. */
export interface OwnerProcess {
  /** Whether nothing is answered. */
  isSilent: boolean
  /** What it takes for an answer: milliseconds. */
  slowMs: number
  /** Begins another life, which knows nothing of the one before. */
  restart(): void
  readonly transport: ReturnType<typeof createDirectTransport>
}

export function startOwner(clock: ManualClock): OwnerProcess {
  let life = new AbortController()
  const transport = createDirectTransport()
  const rates = createRateService({ clock, replicas: singleReplica })
  rates.routes(transport)
  void rates.run(life.signal)
  return {
    transport,
    isSilent: false,
    slowMs: 0,
    restart() {
      life.abort()
      life = new AbortController()
      queueMicrotask(() => void rates.run(life.signal))
    },
  }
}

export function startGateways(clock: ManualClock, random: Random, owner: OwnerProcess, count: number): Gateways {
  const alive: (Gateway & { isAlive: boolean; readonly life: AbortController })[] = []
  const logged = new Map<string, number>()
  const answered = createClient(RateService, owner.transport)

  function start() {
    const life = new AbortController()
    const log = createLog({
      level: 'debug',
      write(line) {
        if (life.signal.aborted) return // The dead say nothing.
        const { event } = JSON.parse(line) as { event: string }
        logged.set(event, (logged.get(event) ?? 0) + 1)
      },
    })
    const oneWay = () => clock.sleep(random.between(1, DELAY_MS), life.signal)
    const limiter = sharedLimiter({
      clock,
      log,
      rates: {
        // As over a network, by the simulated clock.
        async takePlaces(request, options) {
          await oneWay()
          if (owner.isSilent) {
            await clock.sleep(options?.timeoutMs ?? 0, life.signal)
            throw new ConnectError('no answer', Code.DeadlineExceeded)
          }
          const answer = await answered.takePlaces(request)
          await clock.sleep(owner.slowMs, life.signal)
          await oneWay()
          return answer
        },
      },
    })
    void limiter.run(life.signal)
    alive.push({ limiter, life, isAlive: true })
  }

  for (let n = 0; n < count; n++) start()
  return {
    logged,
    all: alive,
    start,
    any: () => alive[random.between(0, alive.length - 1)] as Gateway,
    kill() {
      const [killed] = alive.splice(0, 1)
      if (killed === undefined) return
      killed.isAlive = false
      killed.life.abort(new Error('killed'))
    },
  }
}
